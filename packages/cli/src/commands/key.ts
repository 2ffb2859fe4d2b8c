import type { ApiKey } from '@roadstead/contracts/identity';
import { Problem } from '@roadstead/kit';
import { safeJson } from '../terminal/safe-text.ts';
import { table } from '../terminal/table.ts';
import { findTarget, type Target } from '../target/target.ts';
import { type Command, targetOptions, textOf } from '../command-line/command.ts';

export const key: Command = {
  name: 'key',
  operands: 'create NAME | list | delete ID',
  summary: 'Make, list and revoke API keys.',
  options: {
    scope: {
      type: 'string',
      multiple: true,
      value: 'SCOPE',
      doc: 'admin, reader, or RESOURCE:RIGHT such as traces:read; may be repeated (reader)',
    },
    expires: { type: 'string', value: 'TIME', doc: 'when it ends, ISO 8601 in UTC' },
    ...targetOptions,
  },
  examples: [
    {
      call: 'key create ci --scope deployments:read --scope deployments:write',
      does: 'for a pipeline that deploys',
    },
    { call: 'key list', does: 'shows what keys there are' },
  ],
  fields: {
    'body.name': 'NAME',
    'body.scopes': '--scope',
    'body.expires_at': '--expires',
    'path.key_id': 'ID',
  },
  run: async ({ operands: [action, operand = ''], values, terminal }) => {
    const target = await findTarget(values);
    const json = values['json'] === true;
    if (action === 'list') {
      const items = await allKeys(target);
      if (json) terminal.out(safeJson(items));
      else
        for (const line of table(
          items.map((one) => [one.id, `${one.hint}…`, one.scopes.join(','), one.name]),
        ))
          terminal.out(line);
      return 0;
    }
    if (action === 'delete') {
      await target.identity.deleteApiKey({ params: { key_id: operand } });
      terminal.out(
        json
          ? safeJson({ deleted: operand })
          : 'The key is revoked; no agent accepts it any more after 30 s.',
      );
      return 0;
    }
    const scopes = Array.isArray(values['scope']) ? (values['scope'] as string[]) : ['reader'];
    const expires_at = textOf(values['expires']);
    if (expires_at !== undefined && Date.parse(expires_at) <= Date.now())
      throw new Problem('invalid', '--expires must lie in the future.');
    const made = await target.identity.createApiKey({
      body: {
        name: operand,
        scopes: scopes as 'reader'[],
        ...(expires_at === undefined ? {} : { expires_at }),
      },
    });
    terminal.progress('Keep it: it is shown this once.');
    terminal.out(json ? safeJson(made) : made.key);
    return 0;
  },
};

async function allKeys({ identity }: Target): Promise<ApiKey[]> {
  const keys: ApiKey[] = [];
  let cursor: string | null = null;
  do {
    const query: { page_size: number; cursor?: string } = {
      page_size: 100,
      ...(cursor === null ? {} : { cursor }),
    };
    const page: { items: ApiKey[]; next_cursor: string | null } = await identity.listApiKeys({ query });
    keys.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return keys;
}
