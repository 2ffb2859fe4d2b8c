import { explanation } from './explanation.ts';

export const createDataset = explanation({
  name: 'create_dataset',
  title: 'Create a dataset',
  about: 'Tells how to create datasets with the SDK: from examples, traces, CSV or data frames.',
  packages: { js: 'langsmith', python: 'langsmith pandas' },
  acting: 'add_dataset',
  sections: [
    {
      title: 'From examples',
      text: `
An example has \`inputs\`, what the application is given; \`outputs\`, what is wanted of it, where that is known; and \`metadata\`, which examples are chosen by. Inputs and outputs are objects. \`split\` puts an example into one part of the dataset or several, such as "test". The name of a dataset is taken only once.`,
      js: `
import { Client } from "langsmith";

const client = new Client();
const dataset = await client.createDataset("support-questions", { description: "What customers ask" });
await client.createExamples([
  {
    dataset_id: dataset.id,
    inputs: { question: "Where is my order?" },
    outputs: { answer: "On its way." },
    metadata: { topic: "orders" },
    split: "test",
  },
  { dataset_id: dataset.id, inputs: { question: "May I return it?" } },
]);`,
      python: `
from langsmith import Client

client = Client()
dataset = client.create_dataset("support-questions", description="What customers ask")
client.create_examples(
    dataset_id=dataset.id,
    examples=[
        {
            "inputs": {"question": "Where is my order?"},
            "outputs": {"answer": "On its way."},
            "metadata": {"topic": "orders"},
            "split": "test",
        },
        {"inputs": {"question": "May I return it?"}},
    ],
)`,
    },
    {
      title: 'From traces',
      text: 'Choose runs as fetch_runs does, and keep from which run an example comes. Outputs that were recorded are what the application said, not yet what is wanted: have somebody look through them.',
      js: `
const chosen = [];
for await (const run of client.listRuns({ projectName: "support-agent", isRoot: true, error: false, limit: 50 })) {
  chosen.push({
    dataset_id: dataset.id,
    inputs: run.inputs,
    outputs: run.outputs,
    source_run_id: run.id,
  });
}
if (chosen.length > 0) await client.createExamples(chosen);`,
      python: `
runs = client.list_runs(project_name="support-agent", is_root=True, error=False, limit=50)
chosen = [
    {"inputs": run.inputs, "outputs": run.outputs, "source_run_id": run.id} for run in runs
]
if chosen:
    client.create_examples(dataset_id=dataset.id, examples=chosen)`,
    },
    {
      title: 'From CSV or a data frame',
      text: 'Each row becomes an example; say which columns are inputs and which outputs. Values stay texts.',
      js: `
await client.uploadCsv({
  csvFile: new Blob(["question,answer\\nIs it open?,Until six.\\n"], { type: "text/csv" }),
  fileName: "questions.csv",
  inputKeys: ["question"],
  outputKeys: ["answer"],
  name: "support-questions-csv",
});`,
      python: `
import io
import pandas as pd

client.upload_csv(
    ("questions.csv", io.BytesIO(b"question,answer\\nIs it open?,Until six.\\n")),
    input_keys=["question"],
    output_keys=["answer"],
    name="support-questions-csv",
)
client.upload_dataframe(
    pd.DataFrame({"question": ["Is it open?"], "answer": ["Until six."]}),
    name="support-questions-frame",
    input_keys=["question"],
    output_keys=["answer"],
)`,
    },
    {
      title: 'For agents',
      text: 'Look by list_datasets whether there is such a dataset already. Leave out of examples what must not be kept, such as keys and the data of customers. Then list_examples shows what was written, and run_experiment tells how to try something on it.',
    },
  ],
});
