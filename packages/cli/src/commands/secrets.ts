import { readByName } from '../deployments/deploy-source.ts';
import { readSecret } from '../terminal/password.ts';
import { findTarget } from '../target/target.ts';
import { setSecrets, unsetSecrets } from '../deployments/variables.ts';
import {
  type Command,
  type CommandCall,
  targetOptions,
  textOf,
  waitOptions,
} from '../command-line/command.ts';
import { afterChange, listVariables } from './env.ts';

export const secrets: Command = {
  name: 'secrets',
  operands: 'list NAME | set NAME KEY | unset NAME KEY',
  summary:
    'The same variables as `roadstead env` has, but a value is asked for or read, so that no history of a shell holds it.',
  options: {
    file: {
      type: 'string',
      value: 'FILE',
      doc: 'set: its content is the value (else asked for, or standard input)',
    },
    ...waitOptions,
    ...targetOptions,
  },
  examples: [
    { call: 'secrets set support-agent OPENAI_API_KEY', does: 'asks for the value' },
    { call: 'secrets set support-agent OPENAI_API_KEY < key.txt', does: 'reads it' },
    { call: 'secrets unset support-agent OPENAI_API_KEY', does: 'removes it' },
  ],
  completes: { NAME: 'deployments' },
  fields: { 'body.secrets': 'KEY', 'path.name': 'KEY' },
  run: async ({ operands: [action = '', name = '', key = ''], values, terminal }) => {
    const target = await findTarget(values);
    const deployment = await readByName(target, name);
    if (action === 'list') return listVariables(deployment, { values, terminal });
    const after =
      action === 'set'
        ? await setSecrets(target, { deployment, given: [await given(key, { values, terminal })] })
        : await unsetSecrets(target, { deployment, names: [key] });
    return await afterChange(target, after, { values, terminal });
  },
};

const given = async (name: string, { values, terminal }: Pick<CommandCall, 'values' | 'terminal'>) => ({
  name,
  value: await readSecret(terminal, { file: textOf(values['file']) }),
});
