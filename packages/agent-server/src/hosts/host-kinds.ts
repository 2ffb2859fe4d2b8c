import type { HostKind, HostKindName } from './host-kind.ts';
import { javascriptHost } from './javascript/javascript-host.ts';

export const hostKinds: Readonly<Record<HostKindName, HostKind>> = { javascript: javascriptHost };
