import { execFileSync } from 'node:child_process';
import { commandOptions, endForUse } from '@roadstead/testing/processes';
import { clusterFleet } from './parts/cluster-fleet.ts';
import { consoleScenes } from './parts/console.ts';
import { deploys } from './parts/deploys.ts';
import { fleet } from './parts/fleet.ts';
import { frames } from './parts/frames.ts';
import { growth } from './parts/growth.ts';
import { ingestion } from './parts/ingestion.ts';
import { mcp } from './parts/mcp.ts';
import { memory } from './parts/memory.ts';
import { messageSend } from './parts/message-send.ts';
import { peerReads } from './parts/peer-reads.ts';
import { placesOfHosts } from './parts/places.ts';
import { pythonMemory } from './parts/python-memory.ts';
import { pythonSend } from './parts/python-send.ts';
import { pythonStart } from './parts/python-start.ts';
import { pythonWait } from './parts/python-wait.ts';
import { pythonWaiting } from './parts/python-waiting.ts';
import { reads } from './parts/reads.ts';
import { replicas } from './parts/replicas.ts';
import { start } from './parts/start.ts';
import { streaming } from './parts/streaming.ts';
import { tasks } from './parts/tasks.ts';
import { wait } from './parts/wait.ts';
import { waiting } from './parts/waiting.ts';
import { manyAgents } from './parts/many-agents.ts';
import { stalls } from './parts/stalls.ts';
import { turnBytes } from './parts/turn-bytes.ts';
import { createReport, type Report } from './support/report.ts';
import { percentile } from './support/measure.ts';

const CALIBRATIONS = 200;
const workload = JSON.stringify(
  Array.from({ length: 200 }, (_, at) => ({ at, name: `value ${at}`, list: [at, at] })),
);

/** How long a fixed piece of work takes here, in ms: on a machine of two speeds, figures of different speeds don't compare. */
function calibrate(): number {
  const times: number[] = [];
  for (let at = 0; at < CALIBRATIONS; at += 1) {
    const began = performance.now();
    for (let again = 0; again < 10; again += 1) JSON.stringify(JSON.parse(workload));
    times.push(performance.now() - began);
  }
  return percentile(times, 0.5);
}

const parts: Readonly<Record<string, (report: Report, scale: number) => Promise<void>>> = {
  send: messageSend,
  stalls,
  agents: manyAgents,
  bytes: turnBytes,
  frames,
  stream: streaming,
  tasks,
  wait: (report, scale) => wait(report, { scale, peer: options.peer }),
  waiting: (report) => waiting(report, { peer: options.peer }),
  ingestion,
  reads: (report, scale) =>
    reads(report, { runs: Number(options.runs ?? 100_000 * scale), data: options.data }),
  replicas,
  'peer-reads': (report, scale) =>
    peerReads(report, { spans: Number(options.runs ?? 6000 * scale), phoenix: options.phoenix }),
  mcp: (report, scale) => mcp(report, { spans: Number(options.runs ?? 6000 * scale), peer: options.peer }),
  console: (report, scale) =>
    consoleScenes(report, { scale, runs: Number(options.runs ?? 100_000 * scale), scene: options.scene }),
  growth,
  deploys,
  fleet,
  start,
  places: placesOfHosts,
  'cluster-fleet': clusterFleet,
  memory,
  'python-start': pythonStart,
  'python-send': pythonSend,
  'python-wait': pythonWait,
  'python-memory': pythonMemory,
  'python-waiting': pythonWaiting,
};

const usage = `npm run bench -- [PART…] [options]

  Speed, as ratios against peers and floors that run beside it in the same minutes; nothing here asserts a time.
  A part's name also stands for those that begin with it: "python" for "python-send" and its like.

  --quick            a fifth as often, and once
  --repeat NUMBER    how many rounds; by default three
  --runs NUMBER      how many runs reads are asked among, and the console shows
  --scene NAME       the only scene of the console: trace, project, conversations, value, deployments or log
  --data FOLDER      keeps them for the next time
  --peer FOLDER      for wait and waiting: @langchain/langgraph-api as it is installed there;
                     for mcp: the command of langsmith-mcp-server
  --phoenix COMMAND  for peer-reads: the command of Phoenix

  Parts: ${Object.keys(parts).join(', ')}
`;

const { values: options, positionals: names } = commandOptions(usage, {
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    repeat: { type: 'string' },
    runs: { type: 'string' },
    scene: { type: 'string' },
    data: { type: 'string' },
    phoenix: { type: 'string' },
    peer: { type: 'string' },
  },
});
const scale = options.quick ? 0.2 : 1;
/** `python` names `python-start` and its like. */
const isNamed = (part: string, name: string) => part === name || part.startsWith(`${name}-`);
const unknown = names.filter((name) => !Object.keys(parts).some((part) => isNamed(part, name)));
if (unknown.length > 0)
  endForUse(`There is no part ${unknown.join(', ')}; there are: ${Object.keys(parts).join(', ')}.`, usage);

const repeat = Number(options.repeat ?? (options.quick ? 1 : 3));
const report = createReport((line) => void process.stdout.write(`${line}\n`));
for (const [name, part] of Object.entries(parts)) {
  if (names.length > 0 && !names.some((one) => isNamed(name, one))) continue;
  for (let time = 1; time <= repeat; time += 1) {
    process.stdout.write(`\n${name}, ${time} of ${repeat} (calibrator ${calibrate().toFixed(2)} ms)\n`);
    await part(report, scale);
  }
}
report.summary();
process.stdout.write(`\n${execFileSync('nproc').toString().trim()} cores, Node ${process.version}\n`);
