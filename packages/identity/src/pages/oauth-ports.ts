import type { OAuthScope } from '@roadstead/contracts/identity';

/** The ports between the authorization server and the pages on which people sign in and consent. */

/** The application that asks to be authorized. All of it is the client's own claim, except for the host. */
export interface AskingClient {
  readonly id: string;
  readonly name: string | null;
  readonly uri: string | null;
  /** Where the browser goes afterwards; null for a device, which waits for the answer itself. */
  readonly redirect_uri: string | null;
  /** Whether its id is an address from which its description was read: that host vouches for it. */
  readonly is_metadata_document: boolean;
  /** Whether it is the console, which nobody is asked to consent to. */
  readonly is_console: boolean;
}

/** An authorization that waits for somebody's consent. */
export interface Interaction {
  readonly id: string;
  readonly client: AskingClient;
  /** The scopes that the client asked for; the reading ones where it asked for none. */
  readonly asked: readonly OAuthScope[];
  /** The address that the tokens are for. */
  readonly resource: string;
  /** The workspace that the console asks for. */
  readonly workspace_id: string | undefined;
  /** Whether the console asks that somebody signs in, whoever is signed in. */
  readonly wants_sign_in: boolean;
  readonly began_ms: number;
}

/** An interaction and the headers of the request about it: only the browser that began it may continue. */
export interface InteractionRequest {
  readonly id: string;
  readonly headers: Headers;
}

export interface Consent {
  /** The consenting subject, as `findSubject` knows it; the application is authorized for the subject's workspace. */
  readonly subject: string;
  readonly scopes: readonly OAuthScope[];
}

/** Somebody who enters the console: it may do there what they may do, until the session ends. */
export interface Entrance {
  readonly subject: string;
  readonly session_id: string;
}

export interface Interactions {
  /** Undefined where it is unknown, has ended, or was begun in another browser. */
  read(asked: InteractionRequest): Promise<Interaction | undefined>;
  /**
   * Ends it and says where to send the browser (303).
   * @throws Problem `not_found` where `read` finds none, `forbidden` for more than the subject may do itself,
   * `unauthenticated` where they were signed out meanwhile
   */
  finish(
    asked: InteractionRequest,
    outcome: Consent | Entrance | 'denied',
  ): Promise<{ readonly location: string }>;
}

/** Why the code of a device is asked for again. */
export type DeviceCodeFault = 'missing' | 'unknown' | 'expired' | 'used' | 'denied' | 'failed';

/** The HTML of pages whose requests the authorization server answers itself. Each is a whole document. */
export interface OAuthPages {
  /** A form that posts `xsrf` and `user_code` to `action`. */
  deviceCode(given: {
    readonly action: string;
    readonly xsrf: string;
    readonly fault?: DeviceCodeFault;
  }): string;
  /** A form that posts `xsrf`, `user_code` and `confirm=yes` (or `abort=yes`) to `action`. */
  deviceConfirm(given: {
    readonly action: string;
    readonly xsrf: string;
    readonly user_code: string;
    readonly client_name: string | null;
  }): string;
  deviceDone(given: { readonly client_name: string | null }): string;
  /** An authorization that can't go on and has nowhere to return to. */
  failure(given: { readonly error: string; readonly description: string }): string;
}
