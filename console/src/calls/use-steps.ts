import { useEffect, useRef, useState } from 'react'

type Steps<Step> = (signal: AbortSignal) => AsyncGenerator<Step>

export type Run<Step> = {
  state: 'idle' | 'running' | 'stopped' | 'done' | 'failed'
  /** The newest. */
  step?: Step
  error?: unknown
}

/** Runs something that is done step by step and can be stopped; it stops by itself when its page is left. */
export function useSteps<Step>() {
  const [run, setRun] = useState<Run<Step>>({ state: 'idle' })
  const stopping = useRef<AbortController>(undefined)
  const stop = () => stopping.current?.abort()
  useEffect(() => () => stopping.current?.abort(), [])
  async function start(steps: Steps<Step>) {
    const controller = new AbortController()
    stopping.current = controller
    setRun({ state: 'running' })
    try {
      for await (const step of steps(controller.signal)) setRun({ state: 'running', step })
      setRun(({ step }) => ({ state: controller.signal.aborted ? 'stopped' : 'done', step }))
    } catch (error) {
      setRun(({ step }) => ({ state: 'failed', step, error }))
    }
  }
  return { run, start, stop, reset: () => setRun({ state: 'idle' }) }
}
