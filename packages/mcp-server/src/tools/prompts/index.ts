import { getPromptByName } from './get-prompt-by-name.ts';
import { listPrompts } from './list-prompts.ts';

export const promptTools = [listPrompts, getPromptByName];
