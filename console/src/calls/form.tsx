import { Form as BaseForm } from '@base-ui/react/form'
import { useMutation } from '@tanstack/react-query'
import { Fragment, type ReactNode, use, useMemo, useRef, useState } from 'react'
import { Button } from '../design/button.tsx'
import { concealed, differencesBetween, type FieldDifference } from '../design/differences.ts'
import { type FormField, problemsOf } from '../design/problems.ts'
import { Failure } from '../design/state.tsx'
import { notify } from '../design/toasts.tsx'
import type { Scope } from '../service/session.ts'
import { type Call, signetUntil } from '../service/signet.ts'
import { may, SessionContext } from '../session/session.ts'
import { ClashDialog } from './clash.tsx'
import { EquivalentCurl } from './curl.tsx'
import styles from './form.module.css'
import { Lacking } from './lacking.tsx'
import { useChanges } from './use-changes.ts'
import { useLeft } from './use-left.ts'

/** `secrets`: members whose values are not shown where they differ. */
type Opened = { record: object; read: Call<object>; secrets?: readonly string[] }

type FormProps<Reply> = {
  /** The names of its fields, whose problems are shown beside them. */
  fields: readonly FormField[]
  /** What it sends. Keep it the same between renderings where nothing changed, by `useCallback`. */
  call: Call<Reply>
  submit: string
  tone?: 'primary' | 'danger'
  /** Said once it is saved. */
  saved?: string
  onSaved: (reply: Reply) => unknown
  onCancel?: () => void
  secrets?: readonly string[]
  disabled?: boolean
  /** What a key needs to send it; of one that lacks it, the form says so. */
  scope?: Scope
  /** For a record that others may change meanwhile: as it was when the form was opened, and how to read it now. */
  opened?: Opened
  children: ReactNode
}

/**
 * A form whose only action is one call of the interface. What the service refuses is shown beside its field. Nothing that was
 * typed is lost: not by a refusal, nor by the end of the session, which asks to sign in above the form, nor by leaving the page, which asks.
 */
export function Form<Reply>(props: FormProps<Reply>) {
  const { fields, call, submit, tone = 'primary', onCancel, secrets, disabled, scope, opened, children } = props
  const session = use(SessionContext)
  const isLacking = scope !== undefined && session !== undefined && !may(session, scope)
  const form = useRef<HTMLFormElement>(null)
  const changes = useChanges(call, form)
  const { save, clash, leave, saveAnyway } = useSaving(props, changes.keep)
  const { error } = save
  // The same as long as the refusal is: a field that is corrected has no problem any more, until the next refusal.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a form has the same fields, in a new list for each rendering
  const problems = useMemo(() => (error ? problemsOf(error, fields) : { ofFields: {}, others: [] }), [error])
  return (
    <BaseForm ref={form} className={styles.form} errors={problems.ofFields} onFormSubmit={() => save.mutate()}>
      {children}
      {isLacking && <Lacking scope={scope} />}
      {error && problems.others.length > 0 && <Failure error={error} />}
      <div className={styles.end}>
        <div className={styles.buttons}>
          <Button type="submit" tone={tone} busy={save.isPending} disabled={disabled || isLacking}>
            {submit}
          </Button>
          {onCancel && (
            <Button
              tone="quiet"
              onClick={() => {
                changes.keep()
                onCancel()
              }}
            >
              Cancel
            </Button>
          )}
        </div>
        <EquivalentCurl call={call} secrets={secrets} />
      </div>
      {clash && <ClashDialog differences={concealed(clash, opened?.secrets)} onSave={saveAnyway} onClose={leave} />}
    </BaseForm>
  )
}

/** `clash`: what others have changed since the form was opened. */
function useSaving<Reply>({ call, opened, saved, onSaved }: FormProps<Reply>, keepChanges: () => void) {
  const [clash, setClash] = useState<FieldDifference[]>()
  const seen = useRef(opened?.record)
  const found = useRef(opened?.record)
  const leave = () => setClash(undefined)
  const left = useLeft()
  const save = useMutation({
    /** What cannot be read now is not written over. Undefined: it was changed meanwhile, and nothing was sent. */
    mutationFn: async () => {
      const signet = signetUntil(left())
      found.current = await opened?.read(signet)
      const differences = seen.current && found.current ? differencesBetween(seen.current, found.current) : []
      if (differences.length === 0) return { reply: await call(signet) }
      setClash(differences)
      return undefined
    },
    onSuccess: (sent) => {
      if (sent) keepChanges()
      if (sent && saved) notify(saved)
      return sent && onSaved(sent.reply)
    },
  })
  /** It may have been changed once more, while one read what was changed. */
  const saveAnyway = () => {
    seen.current = found.current
    leave()
    save.mutate()
  }
  return { save, clash, leave, saveAnyway }
}

type OpenedRecordProps<Stored> = {
  record: Stored
  children: (opened: Stored, onSaved: (saved: Stored) => void) => ReactNode
}

/** Around the form of a record: it is about the record as it was when it was opened, and begins anew from what was saved. */
export function OpenedRecord<Stored>({ record, children }: OpenedRecordProps<Stored>) {
  const [{ opened, number }, setOpened] = useState({ opened: record, number: 0 })
  const begin = (saved: Stored) => setOpened({ opened: saved, number: number + 1 })
  return <Fragment key={number}>{children(opened, begin)}</Fragment>
}
