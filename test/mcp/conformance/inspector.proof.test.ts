import { useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { PROJECT, startMcpFixture, traceOf } from '../mcp-fixture.ts';
import { uuidv7 } from '@roadstead/kit';
import { inspect } from './conformance-kit.ts';

/** What the MCP Inspector says of our own server, in both eras. */

const trace_id = uuidv7();

const fixture = useFixture(startMcpFixture);
beforeAll(() => fixture().send(traceOf(trace_id, 1)));

describe.each(['modern', 'legacy'])('when the era is %s', (era) => {
  test.each<[string, readonly string[], string]>([
    ['tools/list', ['--strict', '--header', 'X-MCP-Toolsets: all'], 'fetch_runs'],
    ['resources/list', [], 'resources'],
    ['resources/templates/list', [], 'roadstead://runs/{run_id}'],
    ['resources/read', ['--uri', `roadstead://runs/${trace_id}`], trace_id],
    ['prompts/list', [], 'failures_after_deploy'],
    ['prompts/get', ['--prompt-name', 'slow_runs', '--prompt-args', `project=${PROJECT}`], PROJECT],
    ['tools/call', ['--tool-name', 'list_projects'], PROJECT],
  ])('when %s is called, then it answers as it should', async (method, args, expected) => {
    const headers = Object.entries(fixture().headers).flatMap(([name, value]) => [
      '--header',
      `${name}: ${value}`,
    ]);
    const transport = ['--transport', 'http', '--protocol-era', era, ...headers];
    const { code, out, err } = await inspect(fixture().url, ...transport, '--method', method, ...args);
    expect(code, `${err}${out}`).toBe(0);
    expect(out).toContain(expected);
    // With --strict it lists what some clients can't read.
    expect(/"schemaFindings".*/.exec(out)).toBeNull();
    expect(err).not.toContain('portability');
  });
});
