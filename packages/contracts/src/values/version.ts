import manifest from '../../package.json' with { type: 'json' };

/** The one version of Roadstead: every package has the version of the whole, and `bin/pack.mjs` keeps it. */
export const ROADSTEAD_VERSION = manifest.version;
