import { foldContent } from "./fold.js";
import { NotKnown, type Operator, type Result, type Rule } from "./operator.js";
import { rearranged } from "./rearrange.js";
import { kAttentionRules, kContribAttentionRules } from "./shapes/attention.js";
import { kContribRules } from "./shapes/contrib.js";
import { kElementwiseRules } from "./shapes/elementwise.js";
import { kGenerateRules } from "./shapes/generate.js";
import { kLayoutRules } from "./shapes/layout.js";
import { kProductRules } from "./shapes/product.js";
import { kRecurrentRules } from "./shapes/recurrent.js";
import { kWindowRules } from "./shapes/window.js";
import { type Dim, isFollowed, isKnownShape, type Value } from "./value.js";

const kRules: ReadonlyMap<string, Rule> = new Map(
  [
    kElementwiseRules,
    kWindowRules,
    kLayoutRules,
    kProductRules,
    kGenerateRules,
    kRecurrentRules,
    kAttentionRules,
  ].flatMap((rules) => Object.entries(rules)),
);

const kContrib: ReadonlyMap<string, Rule> = new Map(
  Object.entries({ ...kContribRules, ...kContribAttentionRules }),
);

/** ONNX Runtime's fused forms of the usual operators have their names with another domain. */
const kRuntimeDomains = new Set(["com.microsoft", "com.microsoft.nchwc"]);

function ruleOf(domain: string, op: string): Rule | undefined {
  if (domain === "") return kRules.get(op);
  if (!kRuntimeDomains.has(domain)) return undefined;
  return kContrib.get(op) ?? kRules.get(op.replace(/^Fused/, ""));
}

/** Deeper shapes than this are not followed; no runtime has them. */
const kMostAxes = 64;

/** A shape as a rule gave it, unless an extent is none. */
function checked(shape: Dim[] | undefined): Dim[] | undefined {
  if (shape === undefined || shape.length > kMostAxes) return undefined;
  const isExtent = (dim: Dim) => typeof dim === "string" || (Number.isSafeInteger(dim) && dim >= 0);
  return shape.every(isExtent) ? shape : undefined;
}

export interface Inferred {
  /** One for each output of the node. */
  values: Value[];
  /** Why a shape is not known; undefined where all are. */
  reason: string | undefined;
}

/** What is known of the outputs of a node. */
export function infer(op: Operator): Inferred {
  const { node } = op;
  const rule = ruleOf(node.domain, node.op);
  let results: Result[] = [];
  let reason: string | undefined;
  if (rule === undefined) {
    reason = `no shape rule for ${node.domain === "" ? "" : `${node.domain}.`}${node.op}`;
  } else {
    try {
      results = rule(op);
    } catch (error) {
      if (!(error instanceof NotKnown)) throw error;
      reason = error.message;
    }
  }
  const values = node.outputs.map((_, index): Value => {
    const result = results[index];
    return { dtype: result?.dtype, shape: checked(result?.shape), content: result?.content };
  });
  foldFirst(op, values[0]);
  return { values, reason };
}

function foldFirst(op: Operator, value: Value | undefined): void {
  if (value === undefined || !isKnownShape(value.shape)) return;
  const count = value.shape.reduce((product, extent) => product * extent, 1);
  const content = isFollowed(value.dtype, count)
    ? (value.content ?? contentOf(op, value, value.shape))
    : undefined;
  value.content = content?.length === count ? content : undefined;
}

/** The elements of the first output, of that shape; undefined where the operator does not fit its inputs. */
function contentOf(op: Operator, value: Value, shape: readonly number[]): Dim[] | undefined {
  try {
    return rearranged(op, shape) ?? foldContent(op, value, shape);
  } catch (error) {
    if (error instanceof NotKnown) return undefined;
    throw error;
  }
}
