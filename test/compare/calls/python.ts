import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Answer, AT_ONCE, type Client } from './call.ts';

const program = fileURLToPath(new URL('client.py', import.meta.url));

/** Calls by `langgraph-sdk`, with the Python that has it. */
export const callByPython =
  (python: string): Client =>
  async (scenarios, addresses) => {
    const child = spawn(python, ['-s', program], { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.end(JSON.stringify({ scenarios, addresses, at_once: AT_ONCE }));
    const [answers, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (answers === '') throw new Error(`the calls by Python failed: ${errors.slice(-2000)}`);
    return JSON.parse(answers) as (readonly Answer[])[];
  };
