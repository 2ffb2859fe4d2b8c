import { explanation } from './explanation.ts';

export const updateExamples = explanation({
  name: 'update_examples',
  title: 'Update examples',
  about: 'Tells how to change examples of a dataset with the SDK.',
  packages: { js: 'langsmith', python: 'langsmith' },
  acting: 'edit_examples',
  sections: [
    {
      title: 'One',
      text: 'What is left out stays as it is; what is given replaces all that stood there, also within inputs, outputs and metadata. Every change makes a new version of the dataset, and earlier ones can still be read by as_of.',
      js: `
import { Client } from "langsmith";

const client = new Client();
const examples = [];
for await (const example of client.listExamples({ datasetName: "support-questions" })) examples.push(example);
const [first] = examples;

await client.updateExample({
  id: first.id,
  outputs: { answer: "It arrives tomorrow." },
  metadata: { ...first.metadata, reviewed: true },
});`,
      python: `
from langsmith import Client

client = Client()
examples = list(client.list_examples(dataset_name="support-questions"))
first = examples[0]

client.update_example(
    first.id,
    outputs={"answer": "It arrives tomorrow."},
    metadata={**(first.metadata or {}), "reviewed": True},
)`,
    },
    {
      title: 'Many',
      text: `
All of them must be of one dataset; either all are changed or none. Each change names its example, so that nothing depends on the order.
In Python older code gives lists beside each other (\`example_ids\`, \`inputs\`, \`outputs\`, …): all of these must be of the same length.`,
      js: `
await client.updateExamples(
  examples.map((example) => ({
    id: example.id,
    dataset_id: example.dataset_id,
    metadata: { ...example.metadata, language: "en" },
  })),
);`,
      python: `
client.update_examples(
    dataset_name="support-questions",
    updates=[
        {"id": example.id, "metadata": {**(example.metadata or {}), "language": "en"}}
        for example in examples
    ],
)`,
    },
    {
      title: 'Splits',
      text: 'An example may be in several; the ones that are given replace those before.',
      js: `
await client.updateExample({ id: first.id, split: ["test", "hard"] });`,
      python: `
client.update_example(first.id, split=["test", "hard"])`,
    },
    {
      title: 'For agents',
      text: 'Read the examples by list_examples first, and show which ones would change and how before many of them do. Afterwards read_example shows what one has become.',
    },
  ],
});
