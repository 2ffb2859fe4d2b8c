/** The compatibility kits of A2A: which commit of each, what of it is run, and with which packages. */

export interface Kit {
  /** The protocol version that it tests. */
  readonly version: '0.3' | '1.0';
  /** A commit of the kits' repository. */
  readonly commit: string;
  readonly branch: string;
  /** The assistant of the deployment that it talks to. */
  readonly graph: string;
  /** Arguments of pytest, given the assistant's addresses. */
  readonly args: (addresses: Addresses) => readonly string[];
  /** Folders of tests, as the page names them. */
  readonly suites: Readonly<Record<string, string>>;
}

export interface Addresses {
  /** The deployment's address; a card is found below it. */
  readonly base: string;
  /** Where JSON-RPC is posted. */
  readonly rpc: string;
}

export const kits: readonly Kit[] = [
  {
    version: '1.0',
    commit: '357c4a87afa2818731590647cccbea31c31733a2',
    branch: '1.0-dev',
    graph: 'tck',
    args: ({ base }) => ['tests/compatibility', '--sut-host', base, '--transport', 'jsonrpc'],
    suites: { 'tests/compatibility/': 'compatibility' },
  },
  {
    version: '0.3',
    commit: 'eb1f804c27ea25db8805264d9ed2d7ca077a7776',
    branch: '0.3.x',
    graph: 'patient',
    args: ({ rpc }) => [
      'tests/mandatory',
      'tests/optional',
      '--sut-url',
      rpc,
      '--test-scope',
      'all',
      '--transports',
      'jsonrpc',
    ],
    suites: {
      'tests/mandatory/': 'mandatory',
      'tests/optional/capabilities/': 'capabilities',
      'tests/optional/quality/': 'quality',
      'tests/optional/features/': 'features',
      'tests/optional/multi_transport/': 'several transports',
    },
  },
];

/** The Python packages that both kits need. */
export const packages = [
  'Jinja2==3.1.6',
  'PyYAML==6.0.3',
  'aiohttp==3.14.5',
  'deepdiff==9.1.0',
  'gherkin-official==42.0.1',
  'googleapis-common-protos==1.76.0',
  'grpcio==1.85.1',
  'grpcio-status==1.85.1',
  'grpcio-tools==1.85.1',
  'httpx==0.28.1',
  'jsonschema==4.26.0',
  'protobuf==7.36.2',
  'pyOpenSSL==26.4.0',
  'pytest==9.2.0',
  'pytest-asyncio==1.5.0',
  'pytest-html==4.2.0',
  'pytest-json-report==1.5.0',
  'pytest-timeout==2.4.0',
  'python-dotenv==1.2.4',
  'requests==2.34.2',
  'responses==0.26.3',
] as const;

/** One test as a kit names it, and what came of it. */
export interface TestResult {
  readonly version: Kit['version'];
  /** pytest's node id. */
  readonly test: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** What went wrong, or why it was skipped. */
  readonly message: string;
}
