import type { A2aVersion } from '@roadstead/contracts/agent-server';
import type { PushConfig, PushConfigRequest, PushKey } from '../../push/push-config.ts';
import { fieldFault } from '../rpc/a2a-fault.ts';
import {
  type Fields,
  optional,
  readArray,
  readCount,
  readId,
  readObject,
  readProtoObject,
  type Reader,
  readText,
} from '../rpc/params-codec.ts';

/** Push notification configs in both protocol versions: nested in 0.3, flat in 1.0. */

export interface PushCodec {
  decodeSet(params: unknown): { readonly task_id: string; readonly request: PushConfigRequest };
  /** Reads the config that comes with a message. */
  readonly readRequest: Reader<PushConfigRequest>;
  decodeGet(params: unknown): { readonly task_id: string; readonly config_id: string | undefined };
  decodeList(params: unknown): PushList;
  decodeDelete(params: unknown): PushKey;
  encode(config: PushConfig): object;
  encodeList(configs: readonly PushConfig[], next: string): object;
  /** The answer to a deletion. */
  readonly deleted: object | null;
}

interface PushList {
  readonly task_id: string;
  readonly page_size: number | undefined;
  /** The config after which the page begins. */
  readonly after: string | undefined;
}

const readScheme = optional(readText);

const v03: PushCodec = {
  decodeSet(params) {
    const fields = readObject(params, 'params');
    const at = 'pushNotificationConfig';
    return { task_id: readId(fields['taskId'], 'taskId'), request: v03.readRequest(fields[at], at) };
  },
  readRequest(value, at) {
    const fields = readObject(value, at);
    const auth = optional(readObject)(fields['authentication'], `${at}.authentication`);
    const schemes =
      auth === undefined
        ? []
        : readArray(auth['schemes'], `${at}.authentication.schemes`).map((one, index) =>
            readText(one, `${at}.authentication.schemes[${index}]`),
          );
    // Among several schemes the first counts, unless one of them signs.
    const scheme = schemes.find((one) => /^hmac/i.test(one)) ?? schemes[0];
    return requestOf(fields, { at, scheme, credentials: auth?.['credentials'] });
  },
  decodeGet(params) {
    const fields = readObject(params, 'params');
    const id = optional(readId)(fields['pushNotificationConfigId'], 'pushNotificationConfigId');
    return { task_id: readId(fields['id'], 'id'), config_id: id };
  },
  decodeList(params) {
    const fields = readObject(params, 'params');
    return { task_id: readId(fields['id'], 'id'), page_size: undefined, after: undefined };
  },
  decodeDelete(params) {
    const fields = readObject(params, 'params');
    const config_id = readId(fields['pushNotificationConfigId'], 'pushNotificationConfigId');
    return { task_id: readId(fields['id'], 'id'), config_id };
  },
  encode: ({ task_id, config_id, url, scheme }) => ({
    taskId: task_id,
    pushNotificationConfig: {
      id: config_id,
      url,
      ...(scheme === undefined ? {} : { authentication: { schemes: [scheme] } }),
    },
  }),
  encodeList: (configs) => configs.map((config) => v03.encode(config)),
  deleted: null,
};

const MAX_PAGE_SIZE = 100;

const v10: PushCodec = {
  decodeSet(params) {
    const fields = readProtoObject(params, 'params');
    return { task_id: readId(fields['taskId'], 'taskId'), request: v10.readRequest(params, '') };
  },
  readRequest(value, at) {
    const fields = readProtoObject(value, at === '' ? 'params' : at);
    const auth = optional(readProtoObject)(fields['authentication'], below(at, 'authentication'));
    const scheme = unset(readScheme(auth?.['scheme'], below(at, 'authentication.scheme')));
    if (auth !== undefined && scheme === undefined)
      throw fieldFault(below(at, 'authentication.scheme'), 'is required');
    return requestOf(fields, { at, scheme, credentials: auth?.['credentials'] });
  },
  decodeGet(params) {
    const fields = readProtoObject(params, 'params');
    return { task_id: readId(fields['taskId'], 'taskId'), config_id: readId(fields['id'], 'id') };
  },
  decodeList(params) {
    const fields = readProtoObject(params, 'params');
    const page_size = optional(readCount)(fields['pageSize'], 'pageSize');
    if (page_size !== undefined && page_size > MAX_PAGE_SIZE)
      throw fieldFault('pageSize', `must be at most ${MAX_PAGE_SIZE}`);
    const token = unset(optional(readText)(fields['pageToken'], 'pageToken'));
    return {
      task_id: readId(fields['taskId'], 'taskId'),
      page_size: page_size === 0 ? undefined : page_size,
      after: token === undefined ? undefined : Buffer.from(token, 'base64url').toString(),
    };
  },
  decodeDelete(params) {
    const fields = readProtoObject(params, 'params');
    return { task_id: readId(fields['taskId'], 'taskId'), config_id: readId(fields['id'], 'id') };
  },
  encode: ({ task_id, config_id, url, scheme }) => ({
    taskId: task_id,
    id: config_id,
    url,
    ...(scheme === undefined ? {} : { authentication: { scheme } }),
  }),
  encodeList: (configs, next) => ({
    configs: configs.map((config) => v10.encode(config)),
    nextPageToken: next === '' ? '' : Buffer.from(next).toString('base64url'),
  }),
  deleted: {},
};

export const pushCodecs: Readonly<Record<A2aVersion, PushCodec>> = { '0.3': v03, '1.0': v10 };

interface CommonFields {
  readonly at: string;
  readonly scheme: string | undefined;
  readonly credentials: unknown;
}

function requestOf(fields: Fields, { at, scheme, credentials }: CommonFields): PushConfigRequest {
  return {
    config_id: optional(readId)(unset(fields['id']), below(at, 'id')),
    url: readUrl(fields['url'], below(at, 'url')),
    token: unset(optional(readText)(fields['token'], below(at, 'token'))),
    scheme,
    credentials: unset(optional(readText)(credentials, below(at, 'authentication.credentials'))),
  };
}

const readUrl: Reader<string> = (value, field) => {
  const text = value === undefined || value === null || value === '' ? undefined : readText(value, field);
  if (text === undefined) throw fieldFault(field, 'is required');
  return text;
};

const below = (at: string, name: string) => (at === '' ? name : `${at}.${name}`);

/** ProtoJSON may write an unset field as an empty text. */
const unset = <T>(value: T): T | undefined => (value === '' ? undefined : value);
