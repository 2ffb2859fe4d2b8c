import type { Log } from '@roadstead/kit';
import type { AccessRules } from '../access/caller.ts';
import type { PushConfigs } from '../push/push-config.ts';
import type { TaskEngine } from '../tasks/task-engine.ts';
import type { CardKey } from './cards/card-signing.ts';
import type { Security } from './cards/security-schemes.ts';

export interface A2aOptions {
  /** The headers of a call that a run may read. */
  readonly configurable?: (headers: Headers) => Readonly<Record<string, string>>;
  readonly engine: TaskEngine;
  /** Whether callers may do what they ask. */
  readonly access: AccessRules;
  /** Sends clients the events of their tasks; undefined where push notifications are off. */
  readonly push?: PushConfigs | undefined;
  /** Where clients reach this deployment, `…/agents/{slug}`; cards are written with it, never with `Host`. */
  readonly public_url: () => string;
  /** The deployment's name. */
  readonly name: string;
  /** The version of the agent server that cards show. */
  readonly version: string;
  /** How callers prove who they are. */
  readonly security: () => Security;
  /** The key that signs cards. */
  readonly card_key: () => Promise<CardKey>;
  /** The variables of what serves. */
  readonly environment: () => Readonly<Record<string, string>>;
  /** `http.disable_a2a` of the active revision: everything here is 404. */
  readonly disabled: () => boolean;
  /** The most bytes of a call's body; the contract's limit by default. */
  readonly max_body_bytes?: number;
  /** Receives the errors that are our own fault. */
  readonly log?: Log;
  /** Milliseconds between comments on a silent stream; 15 s unless said. */
  readonly heartbeat_ms?: number;
}
