import type { ReactNode } from 'react';
import { at } from '../../router/addresses.ts';
import { Page, TabLinks } from '../../ui/page.tsx';

interface TalkFrameProps {
  readonly slug: string;
  readonly title: string;
  readonly actions?: ReactNode;
  readonly filled?: boolean;
  readonly children: ReactNode;
}

/** The frame of all pages about the agents of one deployment. */
export const TalkFrame = ({ slug, title, actions, filled = true, children }: TalkFrameProps) => (
  <Page
    title={title}
    above={[
      { label: 'Talk', target: at.talkAgents() },
      { label: slug, target: at.talk(slug) },
    ]}
    actions={actions}
    filled={filled}
    tabs={
      <TabLinks
        label={`Parts of ${slug}`}
        tabs={[
          { label: 'Chat', target: at.talk(slug) },
          { label: 'Threads', target: at.talkPart(slug, 'threads') },
          { label: 'Assistants', target: at.talkPart(slug, 'assistants') },
          { label: 'Graph', target: at.talkPart(slug, 'graph') },
          { label: 'Store', target: at.talkPart(slug, 'store') },
          { label: 'Crons', target: at.talkPart(slug, 'crons') },
        ]}
      />
    }
  >
    {children}
  </Page>
);
