import { writeFile } from 'node:fs/promises';
import { compareAll } from './compare.ts';
import { lineOf, pageOf, unexplained, unusedReasons } from './page.ts';

/** `npm run compare:langgraph`: asks `langgraph dev` and a platform the same, and writes what differs. */

const calls = await compareAll();
if (typeof calls === 'string') throw new Error(calls);
await writeFile(new URL('../../docs/langgraph-differences.md', import.meta.url), pageOf(calls));
const without = unexplained(calls);
for (const one of without) process.stdout.write(`${lineOf(one)}\n`);
for (const { there, here } of unusedReasons(calls))
  process.stdout.write(`never needed: ${there} | ${here}\n`);
process.stdout.write(`${calls.length} answers, ${without.length} differences without a reason\n`);
if (without.length > 0) process.exitCode = 1;
