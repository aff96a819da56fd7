import { TextArea, TextField } from '../design/field.tsx'
import { type HeaderLine, toHeaders, toLines } from './header-lines.ts'
import { HeadersField } from './headers-field.tsx'
import { TargetField } from './target-field.tsx'
import { defaultTimeout } from './timeout-words.ts'

export const fieldNames = ['name', 'target_url', 'description', 'timeout', 'custom_headers']

export type WebhookDraft = {
  name: string
  target_url: string
  description: string
  /** Empty: the default. */
  timeout: string
  /** Absent: they stay as they are. */
  headers: HeaderLine[] | undefined
}

export const emptyDraft: WebhookDraft = { name: '', target_url: '', description: '', timeout: '', headers: [] }

type Shown = { name: string; target_url: string; description: string; timeout: string }

export const draftOf = (webhook: Shown & { custom_headers?: Record<string, string[]> }): WebhookDraft => ({
  name: webhook.name,
  target_url: webhook.target_url,
  description: webhook.description,
  timeout: webhook.timeout === defaultTimeout ? '' : webhook.timeout,
  headers: webhook.custom_headers && toLines(webhook.custom_headers),
})

/** As the interface takes it. */
export const bodyOf = ({ headers, timeout, ...fields }: WebhookDraft) => ({
  ...fields,
  timeout: timeout.trim() || defaultTimeout,
  ...(headers && { custom_headers: toHeaders(headers) }),
})

type WebhookFieldsProps = {
  draft: WebhookDraft
  onChange: (draft: WebhookDraft) => void
  disabled?: boolean
}

/** What a webhook has that can be typed. */
export function WebhookFields({ draft, onChange, disabled }: WebhookFieldsProps) {
  const set = (changed: Partial<WebhookDraft>) => onChange({ ...draft, ...changed })
  return (
    <>
      <TextField
        name="name"
        label="Name"
        value={draft.name}
        required
        maxLength={200}
        disabled={disabled}
        hint="What people call it: 1 to 200 characters."
        onChange={(name) => set({ name })}
      />
      <TargetField value={draft.target_url} disabled={disabled} onChange={(target_url) => set({ target_url })} />
      <TextArea
        name="description"
        label="Description"
        value={draft.description}
        rows={2}
        disabled={disabled}
        hint="For people, such as who looks after the receiver: at most 1,000 characters."
        onChange={(description) => set({ description })}
      />
      <TextField
        name="timeout"
        label="Timeout"
        value={draft.timeout}
        mono
        placeholder="10 s (default)"
        disabled={disabled}
        hint="How long one attempt may take, from 100ms to 20s, such as 500ms or 2.5s. Left empty it is 10 s for events and 2 s for the synchronous hook."
        onChange={(timeout) => set({ timeout })}
      />
      {draft.headers && (
        <HeadersField lines={draft.headers} disabled={disabled} onChange={(headers) => set({ headers })} />
      )}
    </>
  )
}
