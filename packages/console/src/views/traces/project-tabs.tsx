import { at } from '../../router/addresses.ts';
import { TabLinks } from '../../ui/page.tsx';

export const ProjectTabs = ({ project }: { readonly project: string }) => (
  <TabLinks
    label="Parts of the project"
    tabs={[
      { label: 'Traces', target: at.project(project) },
      { label: 'Threads', target: at.conversations(project) },
    ]}
  />
);
