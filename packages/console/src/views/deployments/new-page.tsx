import { useSearch } from '@tanstack/react-router';
import { at } from '../../router/addresses.ts';
import { mayDo } from '../../session/session.ts';
import { Empty } from '../../ui/answers.tsx';
import { classes } from '../../ui/classes.ts';
import { GoTo } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { NewForm } from './new-form.tsx';
import { SOURCE_CHOICES, type SourceChoice } from './source-rules.ts';

const choices: Readonly<Record<SourceChoice, { readonly label: string; readonly hint: string }>> = {
  template: { label: 'Template', hint: 'An agent that is there already' },
  git: { label: 'Git', hint: 'A repository, on each push' },
  upload: { label: 'Upload', hint: 'A folder of this machine' },
  image: { label: 'Image', hint: 'A container of a registry' },
};

/** Makes a deployment, from one of four sources. */
export function NewPage() {
  const { from = 'template' }: { readonly from?: SourceChoice } = useSearch({ strict: false });
  return (
    <Page title="New deployment" above={[{ label: 'Deployments', target: at.deployments() }]}>
      {mayDo('deployments:write') ? (
        <div className="flex max-w-3xl flex-col gap-4">
          <nav aria-label="Source" className="grid grid-cols-2 gap-2 md:grid-cols-4">
            {SOURCE_CHOICES.map((choice) => (
              <GoTo
                key={choice}
                target={{ ...at.newDeployment(), search: { from: choice } }}
                aria-current={choice === from ? 'true' : undefined}
                className={classes(
                  'rounded-lg border px-3 py-2',
                  choice === from ? 'border-accent bg-accent-soft' : 'border-line bg-card hover:bg-sunk',
                )}
              >
                <span className="block font-semibold">{choices[choice].label}</span>
                <span className="block text-xs text-quiet">{choices[choice].hint}</span>
              </GoTo>
            ))}
          </nav>
          <NewForm key={from} from={from} />
        </div>
      ) : (
        <Empty title="You may not make deployments">
          <p>Somebody who manages this workspace can give you the access deployments:write.</p>
        </Empty>
      )}
    </Page>
  );
}
