import { test } from 'vitest';

test('passes', () => undefined);
test('dies', () => process.kill(process.pid, 'SIGSEGV'));
test('does not come to run', () => undefined);
