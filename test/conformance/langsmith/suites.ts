/** Which suites are run, with which packages, and what of them cannot be run here. */

/** The commit of the SDK's repository whose tests are taken. */
export const SUITE_COMMIT = 'bc8dd672a7b9e7d09bcb2fdada0baff80700f9b0';

export type Language = 'js' | 'python';

/** One test as a suite names it, and what came of it. */
export interface TestResult {
  readonly language: Language;
  /** Below the suite's folder of tests. */
  readonly file: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** The first line of what went wrong, or why it was skipped. */
  readonly message: string;
}

/** Released packages that are tried; the suites' own dependencies beside them. */
export const packages = {
  js: {
    langsmith: '0.12.0',
    '@faker-js/faker': '8.4.1',
    '@jest/globals': '30.4.1',
    '@langchain/core': '0.3.80',
    '@langchain/langgraph': '0.3.12',
    '@langchain/openai': '0.6.17',
    '@opentelemetry/api': '1.9.0',
    '@ai-sdk/openai': '4.0.4',
    ai: '7.0.36',
    jest: '29.7.0',
    langchain: '0.3.37',
    'node-fetch': '3.3.2',
    openai: '6.18.0',
    'ts-jest': '29.4.6',
    typescript: '5.9.3',
    zod: '4.3.6',
  },
  python: [
    'langsmith[otel]==0.15.1',
    // As the suite's own lock has them, where it matters.
    'attrs',
    'dataclasses-json',
    'fastapi==0.141.1',
    'freezegun',
    'langchain-anthropic==1.4.8',
    'langchain-core==1.4.9',
    'langchain-openai==1.3.5',
    'multipart==1.3.1',
    'opentelemetry-exporter-otlp-proto-http==1.39.1',
    'opentelemetry-sdk==1.39.1',
    'pandas',
    'pillow',
    'psutil',
    'pytest==9.1.1',
    'pytest-asyncio==1.4.0',
    'pytest-dotenv',
    'pytest-reportlog',
    'pytest-rerunfailures',
    'pytest-retry',
    'pytest-socket',
    'pytest-subtests',
    'pytest-timeout',
    'uvicorn==0.52.0',
    'vcrpy==8.3.0',
  ],
} as const;

/** Files that are about the clients of models, each by the start of its name; no server of traces is asked in them. */
export const aboutModels: Readonly<Record<Language, readonly string[]>> = {
  js: [
    'claude_agent_sdk',
    'openai_agents_sdk',
    'wrapped_anthropic',
    'wrapped_gemini',
    'wrapped_openai',
    'vercel/',
    'jestlike/',
  ],
  python: ['wrappers/'],
};
