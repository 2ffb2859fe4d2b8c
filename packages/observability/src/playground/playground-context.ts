import type { Clock, Log, SecretBox } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { ModelClient } from '../models/model-client.ts';
import type { PromptOptions } from '../prompts/prompt-work.ts';
import type { InWorkspace } from '../values/keys.ts';

export interface PlaygroundContext extends PromptOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly secret_box: SecretBox;
  readonly models: ModelClient;
  /** Takes runs in as those of any client. @throws Problem where they are not stored. */
  readonly trace: (traced: InWorkspace & { readonly bytes: Buffer }) => Promise<unknown>;
}
