import { namedContext, withoutContext } from '../target/context-rules.ts';
import { readContexts, writeContexts } from '../target/contexts.ts';
import { safeJson } from '../terminal/safe-text.ts';
import { table } from '../terminal/table.ts';
import { answerOptions, type Command } from '../command-line/command.ts';

export const context: Command = {
  name: 'context',
  operands: 'list | use NAME | local',
  summary:
    'The platforms that `roadstead login` noted: list them, choose one, or go back to that of this machine.',
  options: answerOptions,
  examples: [
    { call: 'context list', does: '`*` marks the one in use' },
    { call: 'context use work', does: 'commands talk to it from now on' },
    { call: 'context local', does: 'commands talk to the platform of this machine' },
  ],
  completes: { NAME: 'contexts' },
  run: async ({ operands: [action, name = ''], values, terminal }) => {
    const json = values['json'] === true;
    const known = await readContexts();
    if (action === 'list') {
      const all = Object.entries(known.contexts).map(([one, { url }]) => ({
        name: one,
        url,
        current: one === known.current,
      }));
      if (json) terminal.out(safeJson(all));
      else if (all.length === 0) terminal.progress('There are no contexts; `roadstead login URL` makes one.');
      else
        for (const line of table(all.map((one) => [one.current ? '*' : ' ', one.name, one.url])))
          terminal.out(line);
      return 0;
    }
    const current = action === 'use' ? name : null;
    const url = current === null ? null : namedContext(known, current).url;
    await writeContexts({ ...known, current });
    terminal.out(
      json
        ? safeJson({ context: current, url })
        : `Commands talk to ${url ?? 'the platform of this machine'} now.`,
    );
    return 0;
  },
};

export const logout: Command = {
  name: 'logout',
  operands: 'NAME',
  summary: 'Forget a context and its key here; the key itself stays valid until `roadstead key delete`.',
  options: answerOptions,
  examples: [{ call: 'logout work', does: 'forgets the context work' }],
  completes: { NAME: 'contexts' },
  run: async ({ operands: [name = ''], values, terminal }) => {
    await writeContexts(withoutContext(await readContexts(), name));
    terminal.out(
      values['json'] === true ? safeJson({ deleted: name }) : `The context ${name} is forgotten here.`,
    );
    return 0;
  },
};
