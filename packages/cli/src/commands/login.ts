import { Problem } from '@roadstead/kit';
import { addressOf, contextNameOf } from '../target/context-rules.ts';
import { readContexts, writeContexts } from '../target/contexts.ts';
import { readSecret } from '../terminal/password.ts';
import { safeJson } from '../terminal/safe-text.ts';
import { targetOf } from '../target/target.ts';
import { answerOptions, type Command, textOf } from '../command-line/command.ts';

export const login: Command = {
  name: 'login',
  operands: 'URL',
  summary: 'Note another Roadstead and a key for it as a context, which commands talk to from then on.',
  options: {
    name: { type: 'string', value: 'NAME', doc: 'name of the context (the host of the address)' },
    'key-file': {
      type: 'string',
      value: 'FILE',
      doc: 'holds the API key (else asked for, or standard input)',
    },
    ...answerOptions,
  },
  examples: [
    { call: 'login https://agents.example.com', does: 'asks for an API key, and tries it' },
    {
      call: 'login https://agents.example.com --name work < key.txt',
      does: 'reads it, and names the context',
    },
  ],
  run: async ({ operands: [address = ''], values, terminal }) => {
    const url = addressOf(address, 'URL');
    const name = textOf(values['name']) ?? contextNameOf(url);
    const api_key = (
      await readSecret(terminal, { file: textOf(values['key-file']), question: 'API key: ' })
    ).trim();
    // A key that doesn't work is better noticed now.
    await targetOf(url, api_key)
      .control.listDeployments({ query: { limit: 1 } })
      .catch((error: unknown) => {
        throw refusedKey(error, url);
      });
    const known = await readContexts();
    await writeContexts({
      ...known,
      current: name,
      contexts: { ...known.contexts, [name]: { url, api_key } },
    });
    terminal.out(
      values['json'] === true
        ? safeJson({ context: name, url })
        : `Commands talk to ${url} now (context ${name}); \`roadstead context use NAME\` changes it.`,
    );
    return 0;
  },
};

function refusedKey(error: unknown, url: string): unknown {
  const status = (error as { readonly status?: number }).status;
  if (status !== 401) return error;
  return new Problem('unauthenticated', `${url} doesn't know this API key; nothing was noted.`);
}
