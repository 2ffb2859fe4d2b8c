import { z } from 'zod';
import { type Tool, tool } from '../tool.ts';

/**
 * Texts that explain how something is done with the SDK. The examples of a language build on each other: together
 * they are one program, which a test runs.
 */

interface Section {
  readonly title: string;
  readonly text?: string;
  readonly js?: string;
  readonly python?: string;
}

interface Explanation {
  readonly name: string;
  readonly title: string;
  /** The part for the list of tools; the rest is the same for all. */
  readonly about: string;
  /** The packages to install. */
  readonly packages: { readonly js: string; readonly python: string };
  /** The tool that does the same, where it is switched on. */
  readonly acting: string;
  readonly sections: readonly Section[];
}

export function explanation({ name, title, about, packages, acting, sections }: Explanation): Tool {
  const text = [
    `# ${title}`,
    `This text changes nothing; where it is switched on, the tool ${acting} does it without code.`,
    `Install \`npm install ${packages.js}\` or \`pip install ${packages.python}\`. The SDK reads LANGSMITH_ENDPOINT (the address of this server’s API, such as http://127.0.0.1:4100/api), LANGSMITH_API_KEY and, where a key reaches several workspaces, LANGSMITH_WORKSPACE_ID.`,
    ...sections.map(sectionText),
  ].join('\n\n');
  return tool({
    name,
    title,
    access: undefined,
    effect: 'explains',
    description: `${about} Gives instructions with code to run elsewhere; changes nothing itself.`,
    input: z.strictObject({}),
    output: { text: z.string() },
    run: async () => ({ text }),
  });
}

const FENCE = '```';
const block = (language: string, code: string | undefined) =>
  code === undefined ? [] : [`${FENCE}${language}\n${code.trim()}\n${FENCE}`];

const sectionText = ({ title, text, js, python }: Section) =>
  [
    `## ${title}`,
    ...(text === undefined ? [] : [text.trim()]),
    ...block('js', js),
    ...block('python', python),
  ].join('\n\n');
