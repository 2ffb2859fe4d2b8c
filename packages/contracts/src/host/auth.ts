import { z } from 'zod';
import { Anything } from './anything.ts';
import type { Wire } from './wire.ts';

/** The deployment's own `auth`, as engine and graph host speak of it. */

export const RequestHead = z
  .object({
    method: z.string(),
    url: z.string().describe('Path and query, below the address of the deployment'),
    headers: z.array(z.tuple([z.string(), z.string()])),
  })
  .describe('A request without its body')
  .meta({ id: 'RequestHead' });
export type RequestHead = Wire<typeof RequestHead>;

export const AuthUser = z
  .looseObject({ identity: z.string(), permissions: z.array(z.string()) })
  .describe('The caller, as the `auth` of the deployment knows them')
  .meta({ id: 'AuthUser' });
export type AuthUser = Wire<typeof AuthUser>;

export const AuthResource = z.enum(['assistants', 'threads', 'crons', 'store']).meta({ id: 'AuthResource' });
export type AuthResource = Wire<typeof AuthResource>;

const status = z.int().describe('The HTTP status of the refusal');

export const AuthenticateAnswer = z
  .union([
    z.object({ user: AuthUser }),
    z.object({
      refused: z.object({
        status,
        message: z.string(),
        headers: z.record(z.string(), z.string()).exactOptional(),
      }),
    }),
  ])
  .meta({ id: 'AuthenticateAnswer' });
export type AuthenticateAnswer = Wire<typeof AuthenticateAnswer>;

export const AuthorizeAnswer = z
  .union([
    z.object({
      allowed: z.literal(true),
      filters: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe('What things must have in their metadata to be seen'),
      value: Anything.describe('The value of the question, as the handler has changed it'),
    }),
    z.object({ allowed: z.literal(false), status, message: z.string() }),
  ])
  .meta({ id: 'AuthorizeAnswer' });
export type AuthorizeAnswer = Wire<typeof AuthorizeAnswer>;
