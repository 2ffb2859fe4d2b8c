import { commitHandlers } from './commit-routes.ts';
import { directoryHandlers } from './directory-routes.ts';
import { promptListHandlers } from './prompt-list-routes.ts';
import { promptHandlers } from './prompt-routes.ts';
import type { PromptOptions } from './prompt-work.ts';
import { tagHandlers } from './tag-routes.ts';

/** All operations on prompts, agents and skills. */
export const hubHandlers = (options: PromptOptions) => ({
  ...promptHandlers(options),
  ...promptListHandlers(options),
  ...commitHandlers(options),
  ...tagHandlers(options),
  ...directoryHandlers(options),
});
