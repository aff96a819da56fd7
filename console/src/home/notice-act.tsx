import type { Notice } from '@signet/management'
import { ButtonLink } from '../design/button.tsx'
import { ResumeButton } from '../webhooks/resume-button.tsx'
import { nameOfNotice } from './notice-words.tsx'
import { pageOfNotice } from './notices.ts'

const acts: Partial<Record<string, string>> = {
  webhook_failing: 'See why',
  hook_failing: 'See why',
  api_key_expires: 'Replace',
  client_secret_expires: 'Replace',
  credential_waits: 'Confirm',
  directory_token_expires: 'Replace',
  persons_adopted: 'See directory',
  quota_nearly_full: 'See usage',
}

/** What one does about it: here, where that is one step, else on the page of the thing. */
export function NoticeAct({ notice }: { notice: Notice }) {
  const name = nameOfNotice(notice)
  const { kind, paused_reason, target } = notice
  if (kind === 'webhook_paused' && paused_reason !== 'moving')
    return <ResumeButton webhook={target} label="Resume" button={{ size: 'small', 'aria-label': `Resume ${name}` }} />
  const act = acts[kind]
  return (
    act && (
      <ButtonLink to={pageOfNotice(notice)} size="small">
        {act}
        <span className="visually-hidden"> {name}</span>
      </ButtonLink>
    )
  )
}
