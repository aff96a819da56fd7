import { browserName } from './browser-name.ts'
import { ShortText, Soft } from './text.tsx'

/** What a browser said of itself, in words; as it said it where the pointer rests. */
export const Browser = ({ userAgent }: { userAgent: string | undefined }) =>
  userAgent ? (
    <span title={userAgent}>
      <ShortText>{browserName(userAgent)}</ShortText>
    </span>
  ) : (
    <Soft>not known</Soft>
  )
