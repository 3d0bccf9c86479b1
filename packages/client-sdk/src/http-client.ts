/**
 * The generated functions as `client.http`: they take and answer what is on the wire. Two of them answer curves in two forms,
 * each by the parameters that ask for it: points one by one, or columns where `points` says how many. The generated methods
 * know of both forms only that it is one of them.
 * @module
 */
import { GeneratedClient, type Metrics, type Runs } from './generated/sdk.gen.ts'
import type { CurveColumns, CurveComparison, MetricComparison, MetricSeries } from './generated/types.gen.ts'

type Options<F extends (...args: never[]) => unknown> = Parameters<F>[1]

/** Curves of one run. */
interface RunCurves {
  /** Curves as columns, of at most `points` points: of each range of x the least and the greatest value stay. */
  metrics(
    parameters: { id: string; points: number; name?: string; after_step?: number },
    options?: Options<Runs['metrics']>,
  ): Promise<CurveColumns[]>
  /** Curves point by point: every `stride`-th and the last, or those after a step. */
  metrics(
    parameters: { id: string; name?: string; stride?: number; after_step?: number },
    options?: Options<Runs['metrics']>,
  ): Promise<MetricSeries[]>
}

/** A curve of several runs. */
interface ComparedCurves {
  /** Curves as columns, of at most `points` points. */
  compare(
    parameters: { ids: string; metric: string; points: number; x?: string },
    options?: Options<Metrics['compare']>,
  ): Promise<CurveComparison>
  /** Curves point by point: every `stride`-th and the last. */
  compare(
    parameters: { ids: string; metric: string; stride?: number; x?: string },
    options?: Options<Metrics['compare']>,
  ): Promise<MetricComparison>
}

/** The operations of runs. */
type RunOperations = RunCurves & Runs
/** The operations of metrics. */
type MetricOperations = ComparedCurves & Metrics

/** Every operation by its group and name, with the names of the wire: `client.http.runs.submit({ name, no_cache })`. */
export class HttpClient extends GeneratedClient {
  /** Runs of batch flows. */
  override get runs(): RunOperations {
    return super.runs as RunOperations
  }

  /** Curves of several runs. */
  override get metrics(): MetricOperations {
    return super.metrics as MetricOperations
  }
}
