import { type Allowance, network } from '../sign-in/sign-in-rules.ts';

/** Limits on the requests that anyone may make, each of which leaves a row or is a guess. */

const WINDOW_S = 600;

/** The console is loaded often, and by many from one address. */
const perAddress = { registration: 30, authorization: 300, 'device code': 50, console: 6000 } as const;
const registrations = { bucket: 'registration:all', limit: 300, window_s: WINDOW_S } as const;

export type RequestKind = keyof typeof perAddress;

export function askingAllowances(asking: RequestKind, address: string): Allowance[] {
  const bucket = `${asking}:address:${network(address)}`;
  const own = { bucket, limit: perAddress[asking], window_s: WINDOW_S };
  return asking === 'registration' ? [own, registrations] : [own];
}

/** Twice as often as a device polls by default, which is every five seconds (RFC 8628). */
export const pollingAllowance = (device_code: string): Allowance => ({
  bucket: `device:${device_code}`,
  limit: 12,
  window_s: 30,
});
