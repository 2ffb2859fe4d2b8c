import type { Log } from '@roadstead/kit';
import type { TaskEngine } from '../tasks/task-engine.ts';

export interface A2aOptions {
  readonly engine: TaskEngine;
  /** Where clients reach this deployment, `…/agents/{slug}`; cards are written with it, never with `Host`. */
  readonly public_url: string;
  /** Of the deployment. */
  readonly name: string;
  /** Of the agent server, as cards tell it. */
  readonly version: string;
  /** `http.disable_a2a` of the active revision: everything here is 404. */
  readonly disabled: () => boolean;
  /** What a call's body may have; as the contract says unless told. */
  readonly max_body_bytes?: number;
  /** Gets what goes wrong on our side. */
  readonly log?: Log;
  /** Milliseconds between comments on a silent stream; 15 s unless said. */
  readonly heartbeat_ms?: number;
}
