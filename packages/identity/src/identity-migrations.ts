import type { Migration } from '@roadstead/postgres';
import { oauthMigration } from './oauth/oauth-migrations.ts';

export const identityMigrations: readonly Migration[] = [
  {
    id: 1,
    name: 'workspaces and keys',
    sql: `
      create table workspaces (
        id uuid primary key,
        name text not null,
        created_at timestamptz not null default now()
      );
      -- Keys are 256 random bits, so that a plain hash of one is as good as a slow one.
      create table api_keys (
        id uuid primary key,
        -- A workspace's id, or '*' for the platform's own listener.
        workspace_id text not null,
        name text not null,
        hash bytea not null unique,
        hint text not null,
        scopes text[] not null,
        deployment_id uuid,
        -- Made to stand by the platform at its start, not by a caller.
        managed boolean not null default false,
        created_at timestamptz not null default now(),
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz
      );
      create index api_keys_by_workspace on api_keys (workspace_id, created_at, id);
    `,
  },
  oauthMigration,
  {
    id: 3,
    name: 'users and attempts',
    sql: `
      -- A person who signs in by name. The same name in several workspaces is somebody who reaches several.
      create table users (
        id uuid primary key,
        workspace_id text not null,
        name text not null,
        -- argon2id, as a PHC string.
        password text not null,
        -- Grows with every change of the password, which ends what was signed in before.
        password_version integer not null default 1,
        scopes text[] not null,
        created_at timestamptz not null default now(),
        password_changed_at timestamptz not null default now(),
        last_sign_in_at timestamptz,
        unique (name, workspace_id)
      );
      create index users_by_workspace on users (workspace_id, id);
      -- How often something was tried in a while: sign-ins by address and by name, and their like.
      create unlogged table attempts (
        bucket bytea primary key,
        count integer not null,
        ends_at timestamptz not null
      );
      create index attempts_by_end on attempts (ends_at);
    `,
  },
  {
    id: 4,
    name: 'keys of listeners, subjects, and workspaces that are deleted',
    sql: `
      -- A listener's key acts for this one only.
      alter table api_keys add column listener_id uuid, add column subject text;
      create index api_keys_by_listener on api_keys (listener_id) where listener_id is not null;
      -- The workspace whose caller created it, and may delete it.
      alter table workspaces add column created_by uuid, add column deleting_at timestamptz;
      create index workspaces_by_creator on workspaces (created_by);
    `,
  },
  {
    id: 5,
    name: 'keys of deployments get what users connected with their agents',
    sql: `
      update api_keys set scopes = scopes || 'connections:use'::text
      where deployment_id is not null and revoked_at is null and not 'connections:use' = any(scopes);
    `,
  },
  {
    id: 6,
    name: 'users are bound as whoever makes them',
    sql: `
      alter table users add column subject text, add column deployment_id uuid, add column listener_id uuid,
        add column expires_at timestamptz;
    `,
  },
  {
    id: 7,
    name: 'answers to refreshes that are given again',
    sql: `
      -- Of a refresh token that was used a moment ago: sealed also by the token itself.
      alter table oauth_records add column answer text;
      create index oauth_records_with_answer on oauth_records (consumed_at) where answer is not null;
    `,
  },
  {
    id: 8,
    name: 'sessions of browsers, and addresses that sign in',
    sql: `
      -- The browsers where somebody is signed in; who, says their sealed cookie too.
      create table sessions (
        id uuid primary key,
        subjects text[] not null,
        used_at timestamptz not null default now(),
        expires_at timestamptz not null
      );
      create index sessions_by_subject on sessions using gin (subjects);
      create index sessions_by_use on sessions (used_at);
      -- The session that the console's tokens are of.
      alter table oauth_grants add column session_id uuid;
      create index oauth_grants_by_session on oauth_grants (session_id) where session_id is not null;
      create index oauth_grants_by_subject on oauth_grants (subject) where session_id is not null;

      create table sign_in_links (
        hash bytea primary key,
        subject text not null,
        subject_version integer not null,
        expires_at timestamptz not null,
        used_at timestamptz
      );
      create index sign_in_links_by_expiry on sign_in_links (expires_at);
      create index sign_in_links_by_subject on sign_in_links (subject);
    `,
  },
  {
    id: 9,
    name: 'users who sign in at the company',
    sql: `
      -- Somebody of an OpenID provider: its issuer, and the subject that they are there. They have no password here.
      alter table users alter column password drop not null;
      alter table users add column issuer text, add column external_subject text;
      create unique index users_by_external_subject on users (issuer, external_subject, workspace_id)
        where issuer is not null;
    `,
  },
];
