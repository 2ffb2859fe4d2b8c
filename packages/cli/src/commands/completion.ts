import { candidatesFor, completionScripts } from '../command-line/completion-rules.ts';
import { readContexts } from '../target/contexts.ts';
import { findTarget } from '../target/target.ts';
import { listTemplates } from '../deployments/templates.ts';
import type { Command, Lookup } from '../command-line/command.ts';

/** @param commands called when they are needed; they include this one. */
export function completionOf(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    operands: 'bash | zsh | fish | words WORD…',
    summary: 'Print what makes a shell complete commands, options and names of deployments.',
    options: {},
    examples: [
      { call: 'completion bash', does: 'for ~/.bashrc: source <(roadstead completion bash)' },
      { call: 'completion zsh', does: 'for ~/.zshrc: source <(roadstead completion zsh)' },
      { call: 'completion fish', does: 'for ~/.config/fish/lookups/roadstead.fish' },
    ],
    run: async ({ operands: [shell = '', ...words], terminal }) => {
      const script = completionScripts[shell];
      if (script !== undefined) terminal.out(script);
      else for (const one of await candidates(words, commands())) terminal.out(one);
      return 0;
    },
  };
}

/** Safe for any shell: none of these characters has a meaning there. */
const SAFE = /^[\w.:@%+,/=-]+$/;

async function candidates(words: readonly string[], commands: readonly Command[]): Promise<string[]> {
  const { words: known, lookups } = candidatesFor(words, commands);
  const found = await Promise.all(lookups.map(async (one) => (await sources[one]?.()) ?? []));
  const begun = words.at(-1) ?? '';
  return [...known, ...found.flat()].filter((one) => one.startsWith(begun) && SAFE.test(one));
}

/** Longer than anybody waits after pressing a key. */
const PATIENCE_MS = 1500;

const sources: Readonly<Partial<Record<Lookup, () => Promise<string[]>>>> = {
  deployments: async () => {
    const ask = async () => {
      const { control } = await findTarget({});
      const signal = AbortSignal.timeout(PATIENCE_MS);
      return (await control.listDeployments({ query: { limit: 100 }, signal })).resources;
    };
    return (await ask().catch(() => [])).map(({ name }) => name);
  },
  contexts: async () => Object.keys((await readContexts().catch(() => ({ contexts: {} }))).contexts),
  templates: async () => (await listTemplates()).map(({ id }) => id),
};
