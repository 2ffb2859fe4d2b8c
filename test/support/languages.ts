import { pythonTools } from '@roadstead/testing/processes';
import type { TestContext } from 'vitest';

const ALL = ['javascript', 'python'] as const;
export type AgentLanguage = (typeof ALL)[number];

/** `npm test` names one: a story of each language is told in both by the proof. What is about both is so everywhere. */
const { ROADSTEAD_TEST_LANGUAGE: only } = process.env;
/** The languages of agents, for `describe.each` and `test.each`. */
export const languages: readonly AgentLanguage[] = ALL.filter((one) => only === undefined || one === only);

const tools = await pythonTools();
/** Whether agents in Python can be deployed here. */
export const has_python = typeof tools !== 'string';
if (typeof tools === 'string') process.stderr.write(`Agents in Python are NOT TESTED. ${tools}\n`);

/** Skips a test of agents in Python where none can be had. */
export function needsLanguage(language: AgentLanguage, { skip }: Pick<TestContext, 'skip'>): void {
  skip(language === 'python' && !has_python, 'no Python can be had here');
}
