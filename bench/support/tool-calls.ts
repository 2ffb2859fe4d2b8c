import { type Answer, post } from './measure.ts';

/** Calls of MCP tools as a client of 2025 makes them, over kept connections and without a client's own work. */

const PROTOCOL = '2025-06-18';

type ToolAnswer = Readonly<Record<string, unknown>>;
export type CallTool = (name: string, given: object) => Promise<ToolAnswer>;

/** Introduces itself; where the server gives out a session, all calls are in it. */
export async function openTools(url: string, key: Readonly<Record<string, string>>): Promise<CallTool> {
  const headers: Record<string, string> = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': PROTOCOL,
    ...key,
  };
  const send = (message: object) => post(url, headers, JSON.stringify({ jsonrpc: '2.0', ...message }));
  const introduced = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: PROTOCOL, capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
    }),
  });
  if (!introduced.ok) throw new Error(`${introduced.status} ${await introduced.text()}`);
  await introduced.text();
  const session = introduced.headers.get('mcp-session-id');
  if (session !== null) headers['mcp-session-id'] = session;
  await send({ method: 'notifications/initialized' });
  let id = 0;
  return async (name, given) => {
    id += 1;
    return resultOf(await send({ id, method: 'tools/call', params: { name, arguments: given } }));
  };
}

interface Message {
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: ToolAnswer };
}

function resultOf({ status, text }: Answer): ToolAnswer {
  const json = text.startsWith('{') ? text : (/^data: (.*\S)\s*$/m.exec(text)?.[1] ?? '{}');
  const { result } = JSON.parse(json) as Message;
  const answer = result?.structuredContent;
  if (answer === undefined || result?.isError === true || 'error' in answer)
    throw new Error(`${status} ${text.slice(0, 500)}`);
  return answer;
}
