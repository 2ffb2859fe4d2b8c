import { vi } from 'vitest';

/** The keys of servers of S3 that tests start, as the environment has them. */
export const S3_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'testsecret' } as const;

/** Puts keys into the environment, until `vi.unstubAllEnvs`. */
export function useCredentials(credentials: Readonly<Record<keyof typeof S3_CREDENTIALS, string>>): void {
  for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
}
