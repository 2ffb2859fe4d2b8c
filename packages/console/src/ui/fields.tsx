import { type ComponentProps, type ReactNode, useId, useRef } from 'react';
import { classes } from './classes.ts';
import { useShortcuts } from './keys.ts';

/** Form fields: a label, the control, a hint, and what is wrong with it. */

export const control =
  'w-full min-h-8 rounded-md border border-line bg-card px-2.5 py-1 text-ink placeholder:text-quiet disabled:opacity-60';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly fault?: string | undefined;
}

interface ControlAttributes {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
}

interface FieldFrameProps extends FieldProps {
  readonly children: (control: ControlAttributes) => ReactNode;
}

function Field({ label, hint, fault, children }: FieldFrameProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': `${id}-hint`, 'aria-invalid': fault !== undefined })}
      <p
        id={`${id}-hint`}
        className={classes('text-xs empty:hidden', fault === undefined ? 'text-quiet' : 'text-bad')}
      >
        {fault ?? hint}
      </p>
    </div>
  );
}

export const TextField = ({
  label,
  hint,
  fault,
  className,
  ...rest
}: FieldProps & ComponentProps<'input'>) => (
  <Field label={label} hint={hint} fault={fault}>
    {(described) => (
      <input autoComplete="off" {...rest} {...described} className={classes(control, className)} />
    )}
  </Field>
);

export const TextArea = ({
  label,
  hint,
  fault,
  className,
  ...rest
}: FieldProps & ComponentProps<'textarea'>) => (
  <Field label={label} hint={hint} fault={fault}>
    {(described) => <textarea rows={4} {...rest} {...described} className={classes(control, className)} />}
  </Field>
);

interface SelectFieldProps extends FieldProps, ComponentProps<'select'> {
  readonly options: readonly (readonly [value: string, label: string])[];
}

/** The browser's own select: it works with every keyboard, screen reader and phone. */
export const SelectField = ({ label, hint, fault, options, className, ...rest }: SelectFieldProps) => (
  <Field label={label} hint={hint} fault={fault}>
    {(described) => (
      <select {...rest} {...described} className={classes(control, className)}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
);

export const CheckField = ({ label, hint, ...rest }: Omit<FieldProps, 'fault'> & ComponentProps<'input'>) => (
  <label className="flex items-start gap-2">
    <input type="checkbox" {...rest} className="mt-0.5 size-4 accent-accent" />
    <span>
      {label}
      {hint !== undefined && <span className="block text-xs text-quiet">{hint}</span>}
    </span>
  </label>
);

/** A box to search a list by words, to which `/` leads. */
export function SearchBox({
  label,
  className,
  ...rest
}: { readonly label: string } & Omit<ComponentProps<'input'>, 'ref'>) {
  const box = useRef<HTMLInputElement>(null);
  useShortcuts([{ key: '/', does: label, run: () => box.current?.focus() }]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      {...rest}
      ref={box}
      className={classes(control, 'max-w-72', className)}
    />
  );
}
