import type { HostNames } from '@roadstead/agent-server';
import type { Language } from '@roadstead/contracts/langgraph-json';

/** Which data plane made an object, and in which of its lives. */
export interface Marks {
  readonly owner: string;
  readonly life: string;
}

type Labels = Readonly<Record<string, string>>;

export const OWNER_LABEL = 'roadstead.dev/data-plane';
export const LIFE_LABEL = 'roadstead.dev/life';
/** The pods of one group are alike. */
export const GROUP_LABEL = 'roadstead.dev/group';

/** A label has 63 characters: the ends of a name and the suffixes of Kubernetes leave these. */
const NAME_CHARACTERS = 30;

/** The name of a deployment in names of objects: in small letters, as Kubernetes wants them. */
export const objectNameOf = ({ name }: Pick<HostNames, 'name'>): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^[^a-z]+/g, '')
    .slice(0, NAME_CHARACTERS)
    .replaceAll(/-+$/g, '') || 'agent';

const suffixes = { javascript: 'js', python: 'py' } as const;

/** The name of the objects of a revision's hosts. */
export const hostsNameOf = (names: HostNames, { language, suffix }: { language: Language; suffix: string }) =>
  [objectNameOf(names), names.revision_id.slice(-8), suffixes[language], suffix].join('-');

export const markLabels = (component: string, { owner, life }: Marks): Labels => ({
  'app.kubernetes.io/name': 'roadstead-agent',
  'app.kubernetes.io/component': component,
  'app.kubernetes.io/part-of': 'roadstead',
  'app.kubernetes.io/managed-by': 'roadstead',
  [OWNER_LABEL]: owner,
  [LIFE_LABEL]: life,
});

/** The labels of what belongs to a deployment as a whole. */
export const deploymentLabels = (names: HostNames, marks: Marks): Labels => ({
  ...markLabels('agent', marks),
  'app.kubernetes.io/instance': objectNameOf(names),
  'roadstead.dev/deployment-id': names.deployment_id,
});

/** The labels of what belongs to hosts of one revision in one language. */
export const hostLabels = (
  names: HostNames,
  { language, group, ...marks }: Marks & { readonly language: Language; readonly group: string },
): Labels => ({
  ...deploymentLabels(names, marks),
  'app.kubernetes.io/component': 'graph-host',
  'roadstead.dev/revision-id': names.revision_id,
  'roadstead.dev/language': language,
  [GROUP_LABEL]: group,
});

/** The labels of what belongs to servers of one revision. */
export const serverLabels = (
  names: HostNames,
  { group, ...marks }: Marks & { readonly group: string },
): Labels => ({
  ...deploymentLabels(names, marks),
  'app.kubernetes.io/component': 'server',
  'roadstead.dev/revision-id': names.revision_id,
  [GROUP_LABEL]: group,
});
