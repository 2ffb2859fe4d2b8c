import { execFileSync } from 'node:child_process';
import { growth } from './parts/growth.ts';
import { ingestion } from './parts/ingestion.ts';
import { memory } from './parts/memory.ts';
import { messageSend } from './parts/message-send.ts';
import { start } from './parts/start.ts';
import { streaming } from './parts/streaming.ts';
import { createReport, type Report } from './support/report.ts';

/**
 * Speed, as ratios against peers and floors that run beside it in the same minutes; nothing here asserts a time.
 * `npm run bench` measures everything, `npm run bench -- send growth` parts of it, `--quick` a tenth as often.
 */

const parts: Readonly<Record<string, (report: Report, scale: number) => Promise<void>>> = {
  send: messageSend,
  stream: streaming,
  ingestion,
  growth,
  start,
  memory,
};

const names = process.argv.slice(2).filter((name) => name !== '--quick');
const scale = process.argv.includes('--quick') ? 0.2 : 1;
const unknown = names.filter((name) => parts[name] === undefined);
if (unknown.length > 0)
  throw new Error(`There is no part ${unknown.join(', ')}; there are: ${Object.keys(parts).join(', ')}.`);

const report = createReport((line) => void process.stdout.write(`${line}\n`));
for (const [name, part] of Object.entries(parts)) {
  if (names.length > 0 && !names.includes(name)) continue;
  process.stdout.write(`\n${name}\n`);
  await part(report, scale);
}
report.summary();
process.stdout.write(`\n${execFileSync('nproc').toString().trim()} cores, Node ${process.version}\n`);
