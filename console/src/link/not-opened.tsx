import { SignetError } from '@signet/management'
import { Button } from '../design/button.tsx'
import { Failure } from '../design/state.tsx'
import { LinkFrame } from './link-frame.tsx'

type NotOpenedProps = { error: unknown; retry: () => unknown; what?: string }

/** `what`: what the reader was sent. */
export function NotOpened({ error, retry, what = 'link' }: NotOpenedProps) {
  if (!(error instanceof SignetError && error.status === 429))
    return (
      <LinkFrame title={`The ${what} cannot be opened right now`}>
        <Failure error={error} retry={retry} />
      </LinkFrame>
    )
  return (
    <LinkFrame title="Too many tries">
      <p>
        There were too many tries from this network within an hour. The {what} itself stays as it is: open it again
        later.
      </p>
      <Button icon="refresh" onClick={() => retry()}>
        Try again
      </Button>
    </LinkFrame>
  )
}
