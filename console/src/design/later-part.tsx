import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { checkNetwork, useIsAway } from '../network/network.ts'
import { Button } from './button.tsx'
import { Notice } from './state.tsx'

type LaterLooks<Props> = {
  /** In its place until its script comes. */
  Waiting?: ComponentType<Props>
  /** Around the words that it did not come. */
  Missing?: ComponentType<Props & { failure: ReactNode }>
}

/** A part of a page whose script comes when it is shown first. Where it does not come, it says so there, and tries again. */
export function laterPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { Waiting = () => null, Missing = ({ failure }) => failure }: LaterLooks<Props> = {},
): ComponentType<Props> {
  let Part: ComponentType<Props> | undefined
  return (props: Props) => {
    const isAway = useIsAway()
    const [state, setState] = useState<'waiting' | 'missing' | 'there'>(Part ? 'there' : 'waiting')
    const begin = async () => {
      Part ??= await load().catch(() => undefined)
      setState(Part ? 'there' : 'missing')
    }
    // biome-ignore lint/correctness/useExhaustiveDependencies: again when the network is back
    useEffect(() => void begin(), [isAway])
    const again = async () => {
      setState('waiting')
      await begin()
      if (!Part) await loadPageAgain()
    }
    if (Part) return <Part {...props} />
    return state === 'missing' ? <Missing {...props} failure={<NotLoaded again={again} />} /> : <Waiting {...props} />
  }
}

const NotLoaded = ({ again }: { again: () => unknown }) => (
  <div role="alert">
    <Notice
      tone="bad"
      title={useIsAway() ? 'There is no connection to Signet.' : 'Signet does not give out a script of this page.'}
      action={
        <Button icon="refresh" size="small" onClick={again}>
          Try again
        </Button>
      }
    >
      It is needed for what you opened. If it still does not come, the page is loaded anew.
    </Notice>
  </div>
)

/** A browser may keep that a script failed, until it loads the page again. Without a network that would end at a page of the browser. */
async function loadPageAgain() {
  if (await checkNetwork()) location.reload()
}
