import { commitHandlers } from './prompt-commits-routes.ts';
import { directoryHandlers } from './prompt-directories-routes.ts';
import { promptHandlers } from './prompts-routes.ts';
import type { PromptOptions } from './prompt-work.ts';
import { tagHandlers } from './prompt-tags-routes.ts';

/** All operations on prompts, agents and skills. */
export const hubHandlers = (options: PromptOptions) => ({
  ...promptHandlers(options),
  ...commitHandlers(options),
  ...tagHandlers(options),
  ...directoryHandlers(options),
});
