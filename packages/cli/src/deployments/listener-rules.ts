/** What installs a data plane in a cluster. Pure. */

export interface JoinedListener {
  readonly listener_id: string;
  readonly key: string;
  /** The platform that it follows. */
  readonly url: string;
  readonly namespace: string;
  readonly agent_url: string;
  /** The Secret with the address of its PostgreSQL. */
  readonly postgres_secret: string;
  readonly chart: string;
  /** The image of Roadstead, as the cluster finds it: a repository and a tag. */
  readonly image: { readonly repository: string; readonly tag: string };
}

const KEY_SECRET = 'roadstead-listener';

/** Commands for a shell: the namespace, the key as a Secret, and the chart, whose values hold no secret. Run again, they change nothing. */
export function helmLines(joined: JoinedListener): string[] {
  const namespace = quoted(joined.namespace);
  const values = {
    'platform.enabled': 'false',
    'image.repository': joined.image.repository,
    'image.tag': joined.image.tag,
    'dataPlane.controlPlane.url': joined.url,
    'dataPlane.controlPlane.listenerId': joined.listener_id,
    'dataPlane.listenerKeySecret': KEY_SECRET,
    'dataPlane.agentUrl': joined.agent_url,
    'postgres.existingSecret': joined.postgres_secret,
  };
  const set = Object.entries(values).map(([name, value]) => `  --set ${quoted(`${name}=${escaped(value)}`)}`);
  return [
    `kubectl create namespace ${namespace} --dry-run=client --output yaml | kubectl apply --filename -`,
    secretLines(joined),
    ...databaseLines(joined),
    [`helm upgrade --install roadstead ${quoted(joined.chart)} --namespace ${namespace}`, ...set].join(
      ' \\\n',
    ),
  ];
}

/** The key is read from the input, since arguments stand in lists of processes. */
const secretLines = ({ namespace, key }: JoinedListener): string =>
  [
    "kubectl apply --filename - <<'SECRET'",
    'apiVersion: v1',
    'kind: Secret',
    `metadata: ${JSON.stringify({ name: KEY_SECRET, namespace })}`,
    `stringData: ${JSON.stringify({ 'listener-key': key })}`,
    'SECRET',
  ].join('\n');

/** The address of a database is known to whoever has the cluster alone. */
const databaseLines = ({ namespace, postgres_secret }: JoinedListener): string[] => [
  `# The data plane begins once the Secret ${postgres_secret} is there, such as by:`,
  `#   kubectl --namespace ${namespace} create secret generic ${postgres_secret} \\`,
  '#     --from-literal=agents-url=postgres://USER:PASSWORD@HOST:5432/DATABASE',
];

/** Helm reads commas and braces as lists. */
const escaped = (value: string) => value.replaceAll(/[,{}\\]/g, String.raw`\$&`);

const quoted = (text: string) => (/^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
