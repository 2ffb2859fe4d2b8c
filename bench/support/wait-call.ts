import { post } from './measure.ts';

export interface WaitServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const human = (content: string) => ({ role: 'user', content });

/** A call of `POST /runs/wait`; throws unless it is answered. */
export function waitFor({ url, headers }: WaitServer): () => Promise<void> {
  const body = JSON.stringify({ assistant_id: 'graph', input: { messages: [human('hello')] } });
  return async () => {
    const { text } = await post(`${url}/runs/wait`, headers, body);
    if (!text.includes('echo: hello')) throw new Error(text.slice(0, 500));
  };
}
