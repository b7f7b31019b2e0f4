"""Signatures of the ops of tensor dialects as MLIR declares them; none with regions, effects or random results.

A line is `operands [-> results] [attributes]: names`, `*` for any number of operands; destinations are operands.
"""

from __future__ import annotations

from typing import Final

TENSOR: Final = """
*: extract from_elements insert splat
1: bitcast cast rank
2: dim reshape
* dim: concat
* reassociation static_output_shape: expand_shape
* static_offsets static_sizes static_strides: extract_slice insert_slice
1 reassociation: collapse_shape
2 gather_dims unique: gather
3 scatter_dims unique: scatter
"""

LINALG: Final = """
2: abs ceil erf exp fill floor log negf reciprocal round rsqrt sqrt square tanh
3: add batch_matvec batch_mmt4d batch_vecmat conv_1d conv_2d conv_3d div div_unsigned dot matvec max min mmt4d mul
    powf sub vecmat
4: select
5: quantized_batch_matmul quantized_matmul
* indexing_maps cast: contract
* kind indexing_maps: elementwise
2 cast: copy
2 dimension: softmax
2 dimensions: broadcast
2 permutation: transpose
3 indexing_maps cast: batch_matmul batch_reduce_matmul matmul
3 strides dilations: conv_1d_ncw_fcw conv_1d_nwc_wcf conv_2d_nchw_fchw conv_2d_ngchw_fgchw conv_2d_ngchw_gfchw
    conv_2d_nhwc_fhwc conv_2d_nhwc_hwcf conv_2d_nhwgc_gfhwc conv_3d_ncdhw_fcdhw conv_3d_ndhwc_dhwcf
    depthwise_conv_1d_ncw_cw depthwise_conv_1d_nwc_wc depthwise_conv_1d_nwc_wcm depthwise_conv_2d_nchw_chw
    depthwise_conv_2d_nhwc_hwc depthwise_conv_2d_nhwc_hwcm depthwise_conv_3d_ncdhw_cdhw depthwise_conv_3d_ndhwc_dhwc
    depthwise_conv_3d_ndhwc_dhwcm pooling_nchw_max pooling_nchw_sum pooling_ncw_max pooling_ncw_sum
    pooling_ndhwc_max pooling_ndhwc_min pooling_ndhwc_sum pooling_nhwc_max pooling_nhwc_max_unsigned
    pooling_nhwc_min pooling_nhwc_min_unsigned pooling_nhwc_sum pooling_nwc_max pooling_nwc_max_unsigned
    pooling_nwc_min pooling_nwc_min_unsigned pooling_nwc_sum
5 strides dilations: conv_2d_nchw_fchw_q conv_2d_ngchw_gfchw_q conv_2d_nhwc_fhwc_q conv_2d_nhwc_hwcf_q
    conv_2d_nhwgc_gfhwc_q conv_3d_ndhwc_dhwcf_q depthwise_conv_2d_nhwc_hwc_q depthwise_conv_2d_nhwc_hwcm_q
"""

TOSA: Final = """
1: abs bitwise_not cast ceil clz cos erf exp floor identity log logical_not reciprocal rsqrt sigmoid sin tanh
2: add bitwise_and bitwise_or bitwise_xor equal gather greater greater_equal intdiv logical_and logical_left_shift
    logical_or logical_right_shift logical_xor pow reshape sub table tile
3: mul negate pad row_gather scatter select slice
4: matmul matmul_t
* axis: concat
1 -> 2 block_size: cast_to_block_scaled
1 -> 2 local_bound: rfft2d
1 axis: dim reduce_all reduce_any reduce_product reduce_sum reverse
1 axis nan_mode: argmax reduce_max reduce_min
1 kernel stride pad nan_mode: max_pool2d
1 min_val max_val nan_mode: clamp
1 perms: transpose
2 -> 2 inverse local_bound: fft2d
2 block_size: cast_from_block_scaled
2 nan_mode: maximum minimum
2 round: arithmetic_right_shift
3 kernel stride pad acc_type: avg_pool2d
3 rounding_mode: apply_scale
4 block_size: matmul_t_block_scaled
4 mode: resize
4 nan_mode: max_pool2d_adaptive
5 out_pad stride acc_type local_bound: transpose_conv2d
5 pad stride dilation acc_type local_bound: conv2d conv3d depthwise_conv2d
5 scale32 rounding_mode per_channel input_unsigned output_unsigned: rescale
6 acc_type: avg_pool2d_adaptive
8 block_size: conv2d_block_scaled
"""

STABLEHLO: Final = """
*: dynamic_update_slice tuple
1: abs bitcast_convert cbrt ceil convert count_leading_zeros floor imag is_finite negate not optimization_barrier
    popcnt real reshape round_nearest_afz round_nearest_even sign uniform_dequantize uniform_quantize
2: add and atan2 complex divide dynamic_reshape maximum minimum multiply or power remainder shift_left
    shift_right_arithmetic shift_right_logical subtract xor
3: clamp select
* dimension: concatenate
* slice_sizes: dynamic_slice
0 iota_dimension: iota
1 broadcast_dimensions: broadcast_in_dim
1 dimension: get_dimension_size
1 dimensions: reverse
1 exponent_bits mantissa_bits: reduce_precision
1 fft_type fft_length: fft
1 index: get_tuple_element
1 lower: cholesky
1 permutation: transpose
1 result_accuracy: cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sine sqrt tan tanh
1 start_indices limit_indices strides: slice
2 broadcast_dimensions: dynamic_broadcast_in_dim
2 comparison_direction compare_type: compare
2 dimension_numbers slice_sizes indices_are_sorted: gather
2 dot_dimension_numbers precision_config: dot_general
2 edge_padding_low edge_padding_high interior_padding: pad
2 left_side lower unit_diagonal transpose_a: triangular_solve
2 precision_config: dot
2 window_strides padding lhs_dilation rhs_dilation window_reversal dimension_numbers feature_group_count
    batch_group_count precision_config: convolution
5 epsilon feature_index: batch_norm_inference
"""

TORCH: Final = """
*: prim.ListConstruct prim.TupleConstruct
1: aten._shape_as_tensor aten.abs aten.absolute aten.acos aten.acosh aten.alias aten.alias_copy aten.all aten.any
    aten.asin aten.asinh aten.atan aten.atanh aten.atleast_1d aten.atleast_2d aten.bitwise_not
    aten.broadcast_tensors aten.ceil aten.ceil.Scalar aten.column_stack aten.cos aten.cosh aten.deg2rad
    aten.dequantize.self aten.dequantize.tensor aten.detach aten.detach_copy aten.erf aten.erfinv aten.exp aten.exp2
    aten.expm1 aten.fix aten.fliplr aten.flipud aten.floor aten.frac aten.hardsigmoid aten.hardswish aten.hstack
    aten.imag aten.int_repr aten.isfinite aten.isinf aten.isnan aten.isneginf aten.isposinf aten.lift_fresh_copy
    aten.linalg_det aten.log aten.log10 aten.log1p aten.log2 aten.log_sigmoid aten.logical_not aten.max
    aten.meshgrid aten.min aten.mish aten.neg aten.nonzero aten.nonzero_numpy aten.numpy_T aten.rad2deg aten.real
    aten.reciprocal aten.relu aten.relu6 aten.round aten.rsqrt aten.selu aten.sgn aten.sigmoid aten.sign
    aten.signbit aten.silu aten.sin aten.sinh aten.size aten.special_expm1 aten.sqrt aten.square aten.squeeze
    aten.squeeze_copy aten.t aten.t_copy aten.tan aten.tanh aten.trace aten.trunc aten.view_as_complex
    aten.view_as_real prims.sqrt prims.view_of
11: aten.stft.center
12: aten._convolution.deprecated aten._scaled_mm_v2
13: aten._convolution
2: aten._adaptive_avg_pool2d aten._adaptive_avg_pool3d aten._cast_Float aten._cast_Long aten._int_mm
    aten._unsafe_view aten.adaptive_avg_pool1d aten.adaptive_avg_pool2d aten.adaptive_avg_pool3d aten.add aten.atan2
    aten.bitwise_and.Scalar aten.bitwise_and.Tensor aten.bitwise_left_shift.Tensor aten.bitwise_or.Tensor
    aten.bitwise_right_shift.Tensor aten.bitwise_xor.Tensor aten.bmm aten.broadcast_to aten.cat aten.celu
    aten.channel_shuffle aten.clamp_max aten.clamp_max.Tensor aten.clamp_min aten.clamp_min.Tensor aten.clone
    aten.complex aten.contiguous aten.copysign.Tensor aten.count_nonzero aten.count_nonzero.dim_IntList aten.diag
    aten.div aten.div.Scalar aten.div.Tensor aten.dot aten.eq.Scalar aten.eq.Tensor aten.expand_as aten.flip
    aten.float_power.Tensor_Tensor aten.floor_divide aten.floor_divide.Scalar aten.fmax aten.fmin aten.fmod.Scalar
    aten.fmod.Tensor aten.ge.Scalar aten.ge.Tensor aten.gelu aten.glu aten.gt.Scalar aten.gt.Tensor aten.hardshrink
    aten.heaviside aten.index.Tensor aten.index.Tensor_hacked_twin aten.ldexp.Tensor aten.le.Scalar aten.le.Tensor
    aten.leaky_relu aten.logaddexp aten.logaddexp2 aten.logcumsumexp aten.logical_and aten.logical_or
    aten.logical_xor aten.logit aten.lt.Scalar aten.lt.Tensor aten.masked_select aten.matmul aten.max.other
    aten.maximum aten.mean aten.meshgrid.indexing aten.min.other aten.minimum aten.mm aten.mul aten.mul.Scalar
    aten.mul.Tensor aten.mv aten.ne.Scalar aten.ne.Tensor aten.norm.Scalar aten.one_hot aten.outer aten.permute
    aten.permute_copy aten.pixel_shuffle aten.pixel_unshuffle aten.polar aten.pow.Scalar aten.pow.Tensor_Scalar
    aten.pow.Tensor_Tensor aten.prelu aten.prod aten.reflection_pad1d aten.reflection_pad2d aten.reflection_pad3d
    aten.remainder.Scalar aten.remainder.Tensor aten.repeat aten.repeat_interleave.Tensor aten.replication_pad1d
    aten.replication_pad2d aten.replication_pad3d aten.reshape aten.reshape_as aten.round.decimals aten.size.int
    aten.softshrink aten.squeeze.dim aten.squeeze_copy.dim aten.stack aten.std aten.sub aten.sum aten.tile aten.tril
    aten.triu aten.type_as aten.unbind.int aten.unbind_copy.int aten.unsqueeze aten.unsqueeze_copy aten.var
    aten.view aten.view.dtype aten.view_copy aten.view_copy.dtype aten.xlogy.Tensor prims.convert_element_type
    prims.squeeze
3: aten._log_softmax aten._make_per_tensor_quantized_tensor aten._reshape_alias aten._reshape_alias_copy
    aten._safe_softmax aten._softmax aten.add.Scalar aten.add.Tensor aten.all.dim aten.amax aten.amin aten.any.dim
    aten.any.dims aten.argmax aten.argmin aten.argsort aten.bincount aten.chunk aten.clamp aten.clamp.Tensor
    aten.constant_pad_nd aten.cumprod aten.cumsum aten.div.Scalar_mode aten.div.Tensor_mode aten.einsum aten.expand
    aten.expand_copy aten.flatten.using_ints aten.frobenius_norm.dim aten.hardtanh aten.index_select aten.l1_loss
    aten.lerp.Scalar aten.lerp.Tensor aten.linalg_cross aten.linear aten.log_softmax.int aten.logsumexp
    aten.masked_fill.Scalar aten.masked_fill.Tensor aten.masked_scatter aten.max_unpool2d aten.movedim.int
    aten.mse_loss aten.nonzero_static aten.roll aten.rot90 aten.rsub.Scalar aten.select.int aten.select_copy.int
    aten.softmax.int aten.softplus aten.split.Tensor aten.split.sizes aten.split_copy.Tensor aten.split_with_sizes
    aten.split_with_sizes_copy aten.sub.Scalar aten.sub.Tensor aten.tensor_split.sections aten.threshold
    aten.transpose.int aten.transpose_copy.int aten.unflatten.int aten.upsample_nearest1d
    aten.upsample_nearest1d.vec aten.upsample_nearest2d.vec aten.where.Scalar aten.where.ScalarOther
    aten.where.ScalarSelf aten.where.self prims.collapse prims.prod prims.split_dim prims.sum
4: aten._make_per_channel_quantized_tensor aten.addcdiv aten.addcmul aten.as_strided aten.as_strided_copy
    aten.bilinear aten.binary_cross_entropy aten.bucketize.Tensor aten.conv_tbc aten.cosine_similarity
    aten.diag_embed aten.diagonal aten.diagonal_copy aten.elu aten.fft_fft aten.fft_ifft aten.fft_rfft aten.gather
    aten.index_put aten.kl_div aten.mean.dim aten.nan_to_num aten.narrow aten.narrow.Tensor aten.norm.ScalarOpt_dim
    aten.pad aten.prod.dim_int aten.quantize_per_tensor aten.renorm aten.repeat_interleave.self_int aten.rms_norm
    aten.scatter.src aten.scatter.value aten.scatter_add aten.select_scatter aten.std.correction aten.std.dim
    aten.sum.dim_IntList aten.unfold aten.unfold_copy aten.upsample_bilinear2d.vec aten.upsample_nearest2d
    aten.var.correction aten.var.dim prims.var
5: aten._index_put_impl aten.addbmm aten.addmm aten.arange aten.as_strided_scatter aten.baddbmm
    aten.binary_cross_entropy_with_logits aten.cosine_embedding_loss aten.diagonal_scatter aten.embedding aten.eye
    aten.fake_quantize_per_tensor_affine aten.fake_quantize_per_tensor_affine.tensor_qparams aten.grid_sampler
    aten.im2col aten.isclose aten.linalg_norm aten.linalg_vector_norm aten.max_unpool3d aten.ones
    aten.quantize_per_channel aten.scalar_tensor aten.scatter.reduce aten.slice.Tensor aten.slice_copy.Tensor
    aten.to.dtype aten.to.other aten.to.prim_Device aten.upsample_bilinear2d aten.zeros
6: aten.arange.start aten.avg_pool1d aten.col2im aten.cross_entropy_loss aten.eye.m
    aten.fake_quantize_per_channel_affine aten.full aten.group_norm aten.hann_window.periodic aten.layer_norm
    aten.max_pool1d aten.max_pool2d aten.max_pool3d aten.new_ones aten.new_zeros aten.ones_like
    aten.poisson_nll_loss aten.scatter_reduce.two aten.slice_scatter aten.zeros_like prims.iota
7: aten._to_copy aten.arange.start_step aten.avg_pool2d aten.avg_pool3d aten.conv1d aten.conv1d.padding aten.conv2d
    aten.conv2d.padding aten.conv3d aten.conv3d.padding aten.full_like aten.linspace aten.new_full aten.tril_indices
    aten.triu_indices
8: aten._scaled_mm aten._trilinear aten.conv_transpose1d aten.conv_transpose2d.input aten.conv_transpose3d.input
    aten.scaled_dot_product_attention aten.to.dtype_layout
9: aten.convolution aten.stft
1 -> 2: aten.linalg_slogdet aten.log_sigmoid_forward
1 -> 3: aten._linalg_det
2 -> 2: aten.adaptive_max_pool1d aten.adaptive_max_pool2d aten.adaptive_max_pool3d aten.linalg_qr aten.var_mean
3 -> 2: aten._weight_norm_interface aten.aminmax aten.max.dim aten.min.dim aten.sort
4 -> 2: aten.kthvalue aten.var_mean.correction aten.var_mean.dim
4 -> 3: aten.unique_consecutive
5 -> 2: aten.fake_quantize_per_tensor_affine_cachemask aten.nll_loss2d_forward aten.nll_loss_forward aten.topk
5 -> 3: aten.native_layer_norm aten.unique_dim
6 -> 2: aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams
    aten.fake_quantize_per_channel_affine_cachemask aten.max_pool1d_with_indices aten.max_pool2d_with_indices
    aten.max_pool3d_with_indices
8 -> 3: aten.native_group_norm
9 -> 4: aten._embedding_bag aten.embedding_bag.padding_idx
"""

VECTOR: Final = """
*: create_mask from_elements
0: step
1: bitcast broadcast shape_cast
2: interleave
3: fma
* kind: outerproduct
* kind fastmath: reduction
* static_position: extract insert
0 mask_dim_sizes: constant_mask
1 -> 2: deinterleave
1 offsets sizes strides: extract_strided_slice
1 permutation: transpose
2 -> 2 kind reduction_dim inclusive: scan
2 kind reduction_dims: multi_reduction
2 mask: shuffle
2 offsets strides: insert_strided_slice
3 indexing_maps iterator_types kind fastmath: contract
"""

COMPLEX: Final = """
1: bitcast
2: create eq neq
0 value: constant
1 fastmath: abs angle conj cos exp expm1 im log log1p neg re rsqrt sign sin sqrt tan tanh
2 fastmath: add atan2 div mul pow powi sub
"""

UB: Final = """
0: poison
"""

TABLES: Final = {
    "ub": UB,
    "vector": VECTOR,
    "complex": COMPLEX,
    "tensor": TENSOR,
    "linalg": LINALG,
    "tosa": TOSA,
    "stablehlo": STABLEHLO,
    "torch": TORCH,
}
"""The table of each dialect."""
