import type { Scope } from '@roadstead/contracts/access-rules';
import { expect, test } from 'vitest';
import { keyLines } from './key-line-rules.ts';

const linesOf = (scopes: readonly Scope[]) =>
  keyLines({ key: 'rs_one', scopes, origin: 'https://roadstead.example' });

test.each<[readonly Scope[], readonly string[]]>([
  [['traces:write'], ['Traces with a LangSmith SDK', 'Traces with OpenTelemetry']],
  [['agents:invoke'], ['Agents with the LangGraph SDK for Python', 'Agents with an A2A client']],
  [['reader'], ['An MCP client', 'The command line']],
  [['keys:admin'], []],
])('when a key has %j, then there are lines for %j', (scopes, labels) => {
  expect(linesOf(scopes).map(({ label }) => label)).toEqual(labels);
});

test('when lines are made, then each holds the key and the address', () => {
  for (const { text } of linesOf(['admin'])) {
    expect(text).toContain('rs_one');
    expect(text).toContain('https://roadstead.example');
  }
});

test.each([
  [undefined, 'NAME'],
  ['support-agent', 'support-agent'],
  ['x"; rm -rf ~; echo "', 'NAME'],
])('when the agent to call is %s, then lines that call one name %s', (agent, named) => {
  const lines = keyLines({ key: 'rs_one', scopes: ['agents:invoke'], origin: 'https://a.example', agent });
  expect(lines).toHaveLength(2);
  for (const { text } of lines) expect(text).toContain(`https://a.example/agents/${named}`);
});
