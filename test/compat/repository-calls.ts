import type { RunningPlatform } from '../support/platform.ts';

const LIMIT_MS = 90_000;
const MESSAGE = { messages: [{ role: 'user', content: 'Hello' }] };

/** Asks each graph of a deployment for its schemas and one run, and tells the answers, a line each. */
export async function callGraphs(platform: RunningPlatform, slug: string): Promise<string[]> {
  const at = `${platform.url}/agents/${slug}`;
  const call = async (path: string, body?: object): Promise<Answer> => {
    const init = {
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(LIMIT_MS),
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    };
    return await platform.fetch(`${at}${path}`, init).then(
      async (answer) => ({ status: answer.status, text: await answer.text() }),
      (error: unknown) => ({ status: 0, text: String(error) }),
    );
  };
  const { status, text } = await call('/assistants/search', { limit: 100 });
  if (status !== 200) return [`assistants: ${status} ${text}`];
  const assistants = JSON.parse(text) as { assistant_id: string; graph_id: string }[];
  const lines: string[] = [];
  for (const { assistant_id, graph_id } of assistants) {
    const schemas = await call(`/assistants/${assistant_id}/schemas`);
    const ended = await call('/runs/wait', { assistant_id, input: MESSAGE });
    lines.push(`${graph_id}: schemas ${shown(schemas)}; run ${shown(ended)}`);
  }
  return lines;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

const shown = ({ status, text }: Answer) => `${status} ${text.replaceAll(/\s+/g, ' ').slice(0, 300)}`;
