import type { Language } from '../../packages/contracts/src/langgraph-json/languages.ts';

/** What came later than 0.2.0 of JavaScript; without tokens a streamed answer is one piece. */
export type Feature = 'interrupt' | 'store' | 'tokens';

/** A set of packages as a project could have locked it. */
interface VersionOf<L extends Language> {
  readonly language: L;
  readonly langgraph: string;
  readonly lacks?: readonly Feature[];
}

export interface JavaScriptVersion extends VersionOf<'javascript'> {
  readonly core: string;
  /** Where the newest that LangGraph accepts is not the one to try. */
  readonly checkpoint?: string;
}

export interface PythonVersion extends VersionOf<'python'> {
  readonly core: string;
  readonly checkpoint: string;
  /** Part of LangGraph itself before 0.3. */
  readonly prebuilt?: string;
}

export type LangGraphVersion = JavaScriptVersion | PythonVersion;

const javascript = (
  langgraph: string,
  core: string,
  more: Pick<JavaScriptVersion, 'checkpoint' | 'lacks'> = {},
): JavaScriptVersion => ({ language: 'javascript', langgraph, core, ...more });
const python = (
  langgraph: string,
  packages: Omit<PythonVersion, 'language' | 'langgraph'>,
): PythonVersion => ({
  language: 'python',
  langgraph,
  ...packages,
});

const EARLY: readonly Feature[] = ['interrupt', 'store', 'tokens'];

/**
 * The first release of 0.2, those whose locked checkpoint package has no store, and the newest release of each minor
 * version since. Oldest first.
 */
export const javaScriptVersions: readonly [JavaScriptVersion, ...JavaScriptVersion[]] = [
  javascript('0.2.0', '0.2.31', { checkpoint: '0.0.4', lacks: EARLY }),
  javascript('0.2.5', '0.2.36', { checkpoint: '0.0.6', lacks: EARLY }),
  javascript('0.2.8', '0.3.2', { checkpoint: '0.0.6', lacks: EARLY }),
  javascript('0.2.74', '0.3.80'),
  javascript('0.3.12', '0.3.80'),
  javascript('0.4.10', '0.3.80'),
  javascript('1.0.15', '1.1.49'),
  javascript('1.1.5', '1.1.49'),
  javascript('1.2.9', '1.1.49'),
  javascript('1.3.7', '1.1.49'),
  javascript('1.4.18', '1.2.13'),
  javascript('1.5.3', '1.2.18'),
  javascript('1.7.3', '1.4.0'),
];

/** The newest release of each minor version since 0.2 and the first of 0.4, with what was new then. Oldest first. */
export const pythonVersions: readonly [PythonVersion, ...PythonVersion[]] = [
  python('0.2.76', { core: '0.3.86', checkpoint: '2.1.2' }),
  python('0.3.34', { core: '0.3.55', checkpoint: '2.0.25', prebuilt: '0.1.8' }),
  python('0.4.0', { core: '0.3.56', checkpoint: '2.0.25', prebuilt: '0.1.8' }),
  python('0.4.10', { core: '0.3.67', checkpoint: '2.1.0', prebuilt: '0.2.3' }),
  python('0.5.4', { core: '0.3.71', checkpoint: '2.1.1', prebuilt: '0.5.2' }),
  python('0.6.11', { core: '0.3.79', checkpoint: '2.1.2', prebuilt: '0.6.5' }),
  python('1.0.10', { core: '1.2.17', checkpoint: '4.0.1', prebuilt: '1.0.8' }),
  python('1.1.10', { core: '1.3.2', checkpoint: '4.0.3', prebuilt: '1.0.13' }),
  python('1.2.24', { core: '1.8.3', checkpoint: '4.3.2', prebuilt: '1.1.3' }),
];

export const langGraphVersions: readonly LangGraphVersion[] = [...javaScriptVersions, ...pythonVersions];
