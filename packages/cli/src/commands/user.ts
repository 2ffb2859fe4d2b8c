import { Role } from '@roadstead/contracts';
import type { User } from '@roadstead/contracts/identity';
import { Problem } from '@roadstead/kit';
import { readPassword } from '../terminal/password.ts';
import { safeJson } from '../terminal/safe-text.ts';
import { table } from '../terminal/table.ts';
import { findTarget, type Target } from '../target/target.ts';
import { type Command, type CommandCall, targetOptions, textOf } from '../command-line/command.ts';

export const user: Command = {
  name: 'user',
  operands: 'add NAME | list | password NAME | remove NAME',
  summary: 'People who sign in, to use the console and to authorize applications.',
  options: {
    scope: {
      type: 'string',
      multiple: true,
      value: 'SCOPE',
      doc: 'what they may do: admin, reader, or RESOURCE:RIGHT; may be repeated (reader)',
    },
    role: {
      type: 'string',
      value: 'ROLE',
      doc: 'viewer sees everything, member works with everything, admin may do everything; instead of --scope',
      completes: Role.options,
    },
    'password-file': {
      type: 'string',
      value: 'FILE',
      doc: 'its first line is the password (else asked for, or read from standard input)',
    },
    ...targetOptions,
  },
  examples: [
    { call: 'user add anna --role member', does: 'asks for a password' },
    { call: 'user list', does: 'shows who may sign in' },
  ],
  fields: {
    'body.name': 'NAME',
    'query.name': 'NAME',
    'body.scopes': '--scope',
    'body.role': '--role',
    'body.password': 'the password',
  },
  run: async ({ operands: [action, name = ''], values, terminal }) => {
    const target = await findTarget(values);
    const say = (sentence: string, answer: unknown) =>
      terminal.out(values['json'] === true ? safeJson(answer) : sentence);
    if (action === 'list') {
      const users = await allUsers(target);
      say(users.length === 0 ? NOBODY : table(users.map(rowOf)).join('\n'), users);
    } else if (action === 'add') {
      const body = { name, ...rightsOf(values), password: await passwordOf({ values, terminal }) };
      say(`${name} may sign in now.`, await target.identity.createUser({ body }));
    } else if (action === 'password') {
      const params = { user_id: (await readUser(target, name)).id };
      const body = { password: await passwordOf({ values, terminal }) };
      say(
        `${name} has a new password; who was signed in has to sign in again.`,
        await target.identity.patchUser({ params, body }),
      );
    } else {
      const { id } = await readUser(target, name);
      await target.identity.deleteUser({ params: { user_id: id } });
      say(`${name} is removed; what ${name} authorized has no access after 30 s.`, { deleted: id });
    }
    return 0;
  },
};

const NOBODY = 'There are no users; `roadstead user add NAME` makes one.';

const rowOf = ({ name, role, scopes, last_sign_in_at: last }: User) => [
  name,
  role ?? scopes.join(','),
  last === null ? 'never signed in' : `last signed in ${last}`,
];

function rightsOf(values: CommandCall['values']): { scopes?: 'reader'[]; role?: Role } {
  const [role, scopes] = [textOf(values['role']), values['scope']];
  return {
    ...(role === undefined ? {} : { role: role as Role }),
    ...(Array.isArray(scopes) ? { scopes: scopes as 'reader'[] } : {}),
    ...(role === undefined && !Array.isArray(scopes) ? { role: 'viewer' as const } : {}),
  };
}

const passwordOf = ({ values, terminal }: Pick<CommandCall, 'values' | 'terminal'>) =>
  readPassword(terminal, { file: textOf(values['password-file']) });

async function readUser({ identity }: Target, name: string): Promise<User> {
  const { items } = await identity.listUsers({ query: { name } });
  const [found] = items;
  if (found === undefined) throw new Problem('not_found', `There is no user ${name} in this workspace.`);
  return found;
}

async function allUsers({ identity }: Target): Promise<User[]> {
  const users: User[] = [];
  let cursor: string | null = null;
  do {
    const query: { page_size: number; cursor?: string } = {
      page_size: 100,
      ...(cursor === null ? {} : { cursor }),
    };
    const page: { items: User[]; next_cursor: string | null } = await identity.listUsers({ query });
    users.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return users;
}
