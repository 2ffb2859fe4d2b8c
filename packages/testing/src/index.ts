export { type FreshDatabase, freshDatabase } from './postgres/database.ts';
export { eventually } from './eventually.ts';
export { isNamed } from './is-named.ts';
export { longestHold, MOST_HELD_MS } from './processes/loop-hold.ts';
export { statusOf } from './status-of.ts';
export { untilAborted } from './until-aborted.ts';
export { useFixture, useFixturePerTest } from './use-fixture.ts';
export { useFolder, useFolderPerTest } from './use-folder.ts';
