/** Evaluates with every option, and compares two experiments; writes what it made. */
import { Client } from 'langsmith';
import { evaluate, evaluateComparative } from 'langsmith/evaluation';

const client = new Client();
const dataset = await client.createDataset('capitals by evaluate', {
  description: 'Countries and capitals.',
});
await client.createExamples(
  ['Norway', 'Peru', 'Kenya', 'Chile'].map((country, at) => ({
    dataset_id: dataset.id,
    inputs: { country },
    outputs: { capital: country.toUpperCase() },
    split: at < 2 ? 'first' : 'second',
  })),
);
const isRight = ({ outputs, referenceOutputs }) => ({
  key: 'right',
  score: outputs.capital === referenceOutputs.capital,
});
const share = ({ runs }) => ({ key: 'share', score: runs.length });
const options = {
  data: dataset.name,
  evaluators: [isRight],
  summaryEvaluators: [share],
  experimentPrefix: 'js',
  description: 'By the JavaScript SDK.',
  metadata: { model: 'none' },
  maxConcurrency: 2,
  numRepetitions: 2,
  client,
};
const upper = async ({ country }) => ({ capital: country.toUpperCase() });
const lower = async ({ country }) => ({ capital: country });
const first = await evaluate(upper, options);
const second = await evaluate(lower, {
  ...options,
  data: client.listExamples({ datasetId: dataset.id, splits: ['first'] }),
});
await client.awaitPendingTraceBatches();
const third = await evaluate(upper, { data: dataset.name, experimentPrefix: 'js-plain', client });
await client.awaitPendingTraceBatches();
const compared = await evaluateComparative([first.experimentName, third.experimentName], {
  evaluators: [({ runs }) => ({ key: 'preferred', scores: { [runs[0].id]: 1, [runs[1].id]: 0 } })],
  client,
});
process.stdout.write(
  JSON.stringify({
    dataset_id: dataset.id,
    first: { name: first.experimentName, rows: first.results.length },
    second: { name: second.experimentName, rows: second.results.length },
    third: { name: third.experimentName, rows: third.results.length },
    compared: compared.results.length,
  }),
);
