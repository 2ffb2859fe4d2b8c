import { pythonTools } from '@roadstead/testing/processes';
import type { TestContext } from 'vitest';

/** The languages in which agents are written, for `describe.each` and `test.each`. */
export const languages = ['javascript', 'python'] as const;
export type AgentLanguage = (typeof languages)[number];

const tools = await pythonTools();
/** Whether agents in Python can be deployed here. */
export const has_python = typeof tools !== 'string';
if (typeof tools === 'string') process.stderr.write(`Agents in Python are NOT TESTED. ${tools}\n`);

/** Skips a test of agents in Python where none can be had. */
export function needsLanguage(language: AgentLanguage, { skip }: Pick<TestContext, 'skip'>): void {
  skip(language === 'python' && !has_python, 'no Python can be had here');
}
