import { type ComponentType, useEffect, useState } from 'react'
import { useIsAway } from '../network/network.ts'
import { Failure } from './state.tsx'

/** A part of a page whose script comes when it is shown first. Where it does not come, it says so there, and tries again. */
export function laterPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  /** In its place until then. */
  Waiting: ComponentType<Props> = () => null,
): ComponentType<Props> {
  let Part: ComponentType<Props> | undefined
  return (props: Props) => {
    const isAway = useIsAway()
    const [state, setState] = useState<{ turn: number; failure?: unknown }>({ turn: 0 })
    // biome-ignore lint/correctness/useExhaustiveDependencies: again when the network is back, or when it is asked for
    useEffect(() => {
      if (Part) return
      load().then(
        (loaded) => {
          Part = loaded
          setState((before) => ({ turn: before.turn }))
        },
        (failure: unknown) => setState((before) => ({ ...before, failure })),
      )
    }, [isAway, state.turn])
    if (Part) return <Part {...props} />
    if (state.failure === undefined) return <Waiting {...props} />
    return <Failure error={state.failure} retry={() => setState(({ turn }) => ({ turn: turn + 1 }))} />
  }
}
